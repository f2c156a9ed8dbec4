"""Human ratings: scales, cleaning, aggregation, the agreement of annotators, and what is wrong with the data.

Every function takes the ratings frame of a corpus (``corpus.ratings``) and gives a frozen result around Polars frames.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
