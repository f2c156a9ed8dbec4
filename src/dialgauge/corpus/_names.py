"""What the name of a column says: the uses that names stand for, ids, people, housekeeping, dimensions."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from dialgauge.corpus._dimensions import speaks_of_faults


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


#: What a column can be used for, with its common names (the likelier first).
USES: Mapping[str, tuple[str, ...]] = {
    "dialogue_id": _names(
        "dialogue_id dialog_id conversation_id dialogueid dialogid doc_id docid document_id fname meeting_id id"
    ),
    "dialogue": _names(
        "dialogue dialog turns conversation transcript source document article src doc input text dialogue_text "
        "dialog_text transcript_text conversation_text call_transcript chat_log chat_text messages utterances "
        "source_text source_document document_text doc_text context meeting_transcript full_text original_text "
        "transkript gesprach transcription conversacion transcripcion dialogo trascrizione gesprek chat_transcript "
        "conversation_log call_text email_thread article_text source_article prompt instruction "
        "对话 对话内容 对话文本 会话 会话内容 通话 通话内容 原文 対話 会話 会話文"
    ),
    "system": _names(
        "system model model_id model_name system_id system_name summarizer summariser model_type summary_model "
        "system_label summarizer_name generator llm engine sys method model_version "
        "tool tool_name vendor vendor_name moteur motor motore engine_name assistant_name algorithm "
        "modell modele modelo modello sistema systeme bot bot_name bot_version ai_model llm_name "
        "模型 系统 模型名称 モデル"
    ),
    "summary": _names(
        "summary hyp hypothesis prediction pred predicted decoded output generated generated_summary candidate "
        "system_summary model_summary system_output model_output summary_text claim generated_text candidate_summary "
        "predicted_summary summ response completion generation model_response "
        "zusammenfassung kurzfassung resume synthese sintesi sintesis resumen resumo riassunto "
        "samenvatting 摘要 总结 概要 要約"
    ),
    "reference": _names(
        "reference references ref refs reference_summary ref_summary gold gold_summary golden target human_summary "
        "highlights ground_truth groundtruth gold_standard golden_summary target_summary human_reference "
        "reference_text referenz referenzzusammenfassung referencia riferimento resumen_de_referencia "
        "resumen_referencia resume_de_reference resume_reference reference_humaine resumo_de_referencia "
        "riassunto_di_riferimento "
        "referenz_zusammenfassung musterzusammenfassung 参考摘要 标准摘要 人工摘要 参照要約"
    ),
    "annotator": _names(
        "annotator annotator_id annotator_name rater rater_id rater_name worker worker_id judge judge_id evaluator "
        "evaluator_id coder coder_id reviewer reviewer_id prolific_pid prolific_id annotated_by rated_by completed_by "
        "evaluated_by reviewed_by checked_by graded_by done_by scored_by auditor qa_user qa_agent qa_analyst "
        "qa_reviewer qa_name qa_id qa_checker qa_rater qa_person judged_by labeled_by labelled_by assessed_by "
        "labeler labeller assessor scorer participant_id participant access_code response_id user_id respondent "
        "respondent_id author_user_id created_by username user_name email_address "
        "e_mail_address user email e_mail turker expert annotateur anotador annotatore annotatorin bewerter "
        "bewerterin gutachter prufer pruferin evaluateur juge juez giudice "
        "evaluador evaluatrice valutatore relecteur avaliador beoordelaar "
        "zugangscode teilnehmer 评分员 标注员 标注者 评估者 评价者 评审员 評価者 your_name rater_initials initials"
    ),
    "dimension": _names(
        "dimension aspect criterion attribute dimension_name aspect_name rating_type "
        "critere kriterium criterio criterium"
    ),
    "value": _names("value rating score label likert judgement judgment answer verdict grade rating_value reponse"),
    "variant": _names("variant perturbation"),
    "role": _names("role summary_role"),
    "kind": _names("kind summary_kind"),
    "sentence": _names("sentence sentence_id sent_idx sentence_index"),
    "scale": _names("scale"),
    "comment": _names("comment comments remark remarks explanation rationale justification feedback free_text"),
    "time": _names(
        "time timestamp created_at submitted_at submit_time submission_time rated_at annotated_at completed_at "
        "recorded_date end_date completion_time end_time finished_at submitted_on reviewed_on rated_on date updated_at "
        "marca_temporal horodateur zeitstempel fecha datum 时间 提交时间 时间戳 start_time started_at"
    ),
    "domain": _names("domain"),
    "language": _names("language lang"),
    "meta": _names("meta metadata"),
    "provenance": _names("provenance"),
    "ratings_origin": _names("ratings_origin"),
    "seed": _names("original_summary seed_summary"),
}
#: Names of people that call platforms and web shops use too: annotators only where something was judged.
WEAK_PEOPLE = frozenset(
    _names(
        "participant_id participant access_code response_id user_id respondent respondent_id username user_name "
        "email_address e_mail_address author_user_id created_by "
        "user email e_mail "
        "your_name rater_initials initials zugangscode teilnehmer"
    )
)
#: Words in longer names ("Which model?", "ai_summary"), for uses that no column has by its whole name.
TELLING = {
    "system": frozenset(_names("model system summarizer summariser llm bot modell modele modelo modello sistema")),
    "summary": frozenset(_names("summary hypothesis resume resumen resumo riassunto zusammenfassung samenvatting")),
    "dialogue": frozenset(
        _names("transcript dialogue dialog conversation transcription transcripcion transkript gesprach")
    ),
    "annotator": frozenset(
        _names(
            "annotator rater evaluator reviewer worker judge analyst grader assessor labeler scorer coder "
            "evaluador evaluateur anotador annotateur annotatore bewerter valutatore avaliador beoordelaar"
        )
    ),
}
#: Words in the headings of what people wrote beside their judgements.
COMMENT_WORDS = frozenset(
    _names(
        "comment comments note notes remark remarks explanation rationale justification reason reasons reasoning "
        "feedback kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen begrundung commentaire commentaires "
        "remarque remarques comentario comentarios observaciones commento commenti opmerking opmerkingen "
        "备注 评论 意见 コメント"
    )
)
#: Words in the headings of times.
TIME_WORDS = frozenset(_names("date time timestamp datetime submitted completed reviewed rated evaluated fecha datum"))
#: Names of a column that says which question an answer belongs to, where the values are few.
QUESTIONS = frozenset(
    _names("question question_name questions metric criteria item quality_dimension category measure")
)
#: Names of columns of sentences that people agree to or not.
STATEMENTS = frozenset(_names("statement statements question questions aussage frage affirmation afirmacion stelling"))
#: Names of columns whose few words are classes that people chose, where they have no order.
CLASSES = frozenset(
    _names(
        "label verdict category error_type error_category error_label class judgement judgment decision classification"
    )
)
#: Columns kept with the dialogue under their own name.
META = _names("split topic title")
#: Dimensions that are recognised by name even where nobody says who rated.
DIMENSIONS = frozenset(
    _names(
        "coherence consistency fluency relevance informativeness faithfulness factuality factual_consistency "
        "completeness conciseness readability grammaticality non_redundancy redundancy overall_quality usefulness "
        "quality overall overall_score overall_rating accuracy correctness clarity coverage naturalness helpfulness "
        "faithful factual consistent coherent fluent relevant accurate correct complete concise readable hallucination "
        "hallucinations hallucinated grammar adequacy groundedness truthfulness satisfaction usability "
        "understandability comprehensiveness brevity succinctness focus structure tone politeness empathy "
        "error_count errors repetition omission omissions toxicity summary_quality likert_score appropriateness "
        "koharenz flussigkeit relevanz konsistenz verstandlichkeit vollstandigkeit lesbarkeit gesamtqualitat fluidite "
        "pertinence exactitude lisibilite completude coherencia fluidez relevancia consistencia claridad "
        "genauigkeit korrektheit klarheit fidelite clarte concision qualite fidelidad exactitud precision completitud "
        "calidad coerenza fluidita rilevanza accuratezza completezza chiarezza fedelta coerencia fluencia precisao "
        "clareza fidelidade samenhang vloeiendheid relevantie nauwkeurigheid volledigheid duidelijkheid honesty "
        "engagement engagingness interestingness interesting specificity verbosity harmlessness instruction_following "
        "up_to_date thorough organized comprehensible succinct internally_consistent ease_of_reading fiel "
        "连贯性 流畅性 流畅度 一致性 相关性 忠实度 忠实性 准确性 准确度 完整性 简洁性 可读性 信息量 总体 "
        "总体质量 一貫性 流暢性 関連性"
    )
)
_THING = (
    "call|conversation|conv|contact|interaction|session|chat|ticket|case|dialog|dialogue|doc|document|meeting|article|"
    "example|question|thread|transcript|sample|item|instance|record|source|story|post|incident|text|recording|entry|"
    "segment|passage|news|input|encounter|consultation|visit|anruf|gesprach|appel|llamada|conversacion|chiamata|"
    "conversazione|chamada|conversa|oproep|gesprek|dialogo|dialoog|dokument|vorgang|fall|对话|会话|通话|文档|样本|対話|会話"
)
#: Columns that may identify a dialogue. Those without a word like "id" count only where their values are short.
_ID = re.compile(
    rf"(?:{_THING})s?_?(?:id|ids|number|no|nr|num|ref|reference|key|uuid|guid|hash|code|sid|name|nummer|numero|编号|号|番号)|"
    rf"(?:id|ids|n|no|nr|num|numero|number)_(?:de_|del_|della_|der_|des_|do_|da_|d_|of_)?(?:l_|la_)?(?:{_THING})|(?:e|f)?_?id|uu?id|guid"
)
_BARE_ID = re.compile(
    rf"(?:{_THING})|uuid|guid|hash|key|fname|file|file_name|filename|ref|nr|number|no|name|index|idx|.+_id|[a-z]{{2,8}}id"
)
#: What customers say of a talk.
_OF_CONVERSATION = re.compile(
    r"(?:call|conversation|contact|interaction|session|chat|ticket|case|meeting|customer|client|caller|kunden?|cliente?)_?"
    r"(?:rating|satisfaction|csat|nps|zufriedenheit)(?:_score)?|(?:csat|nps)(?:_(?:score|rating|client|customer|kunde|\d_\d))?"
    r"|satisfaction_rating|(?:satisfaction|satisfaccion|satisfacao|nps|csat)_(?:du_|de_la_|del_|do_)?(?:client|cliente)"
    r"|kundenzufriedenheit|klanttevredenheid"
)
#: Ids of people, of single judgements and of the work on them, never of a dialogue.
_OTHER_ID = re.compile(
    r"(?:annotation|assignment|hit|hit_type|submission|user|worker|rater|annotator|participant|response|study|task|"
    r"prolific|rating|completion|batch|model|system|summary|account|organization|customer|agent|edit|reviewer|judge|evaluator|coder|"
    r"respondent|person|label|span|error|claim|sentence|pair|tuple|trial|job|project|reference|turn|message|speaker|"
    r"author|campaign|form|survey|tenant|request|server|external)_?(?:p?id|ids|no|nr)"
)
#: Numbers that count, measure or identify something, and are not ratings even beside an annotator.
_HOUSEKEEPING = re.compile(
    r"(?:^|.*_)(?:nr|no|num|number|index|idx|row|line|pos|position|page|order|id|ids|pid|uuid|hash|count|length|len|"
    r"size|words|tokens|chars|characters|duration|durations|time|times|timer|second|seconds|secs|sec|minute|minutes|mins|"
    r"hours|ms|millis|milliseconds|lead_time|latency|start|end|begin|stop|offset|offsets|age|price|reward|cost|payment|"
    r"bonus|fee|assignments|approvals?|lifetime|year|zip|zipcode|postcode|phone|progress|finished|status|version|seed|"
    r"temperature|batch|date|timestamp|latitude|longitude|ip|ip_address|turns|sentences|total_approvals|completed|clicks|"
    r"click|submit|attempts?|trial|block|session|fold|split|part|round|approval_rate|approve|reject|rejected|"
    r"\w{0,20}zeit|dauer|seite|\w{0,20}startwert|duree|duracion|durata)"
    r"(?:_.{0,3})?|unnamed.*|pos_.*|(?:n|num|number|no|count|total|avg|mean|max|min)_.*|worker_?time.*|.*_rate|.*_secs?|"
    r"age_.*|duration.*|time_.*|work_time.*|q_total_duration|sex|gender|alter|edad|leeftijd|geschlecht|sexe|sexo|geslacht"
    r"|(?:nb|nbre|n|num|anzahl|aantal)_(?:de_)?(?:mots|palabras|worter|woorden|parole|palavras|caracteres)|(?:worter|wortzahl|wortanzahl)"
    r"|(?:cout|kosten|coste|costo|custo|preis|prix|precio|prezzo)(?:_.*)?"
)
#: Columns computed from ratings: beside the raw ones they are no further annotator.
AGGREGATES = re.compile(
    r"(?:^|.*_)(?:mean|avg|average|median|std|sd|stdev|var|variance|min|max|sum|total|majority|agreed|consensus|adjudicated|adjudication"
    r"|bws_scores?|best_worst_scores?|win_?rates?|elo|bt_scores?|media|promedio|moyenne|moy|durchschnitt|mittelwert|schnitt|gemiddelde)(?:_.*)?"
)
#: Scores that programs compute: beside people's judgements they are none.
_METRICS = re.compile(
    r"(?:.*_)?(?:metric|metrics|automatic|auto|rouge\w*|r_?[12l]|bleu\d?|sacrebleu|meteor|chrf\w*|bert_?score\w*|bert_[fpr]1?(?:_score)?|js_?\d|"
    r"bart_?score\w*|mover_?score|comet\w*|bleurt\w*|quest_?eval|summac\w*|dae|fact_?cc\w*|feqa|qags|qafacteval|"
    r"align_?score\w*|uni_?eval\w*|g_?eval|flesch\w*|gunning_?fog|smog|compression|perplexity|ppl|log_?probs?|entropy|embedding|embeddings)(?:_.*)?"
)
#: What is said of two that are as good as each other.
TIE = re.compile(
    r"(?:it_?s_|they_are_|they_re_|both_are_|about_|roughly_|almost_|nearly_)*(?:a_|the_)?(?:tie|tied|draw|equal|equals|"
    r"equally|same|both|neither|none|no_preference|no_difference|either|similar|comparable|identical|indifferent|gleich|"
    r"gleichwertig|beide|egal|unentschieden|keine?_(?:unterschied|praferenz)|empate|igual|iguales|ambos|ambas|l[oa]s_dos|"
    r"ningun[oa]?|sin_(?:preferencia|diferencia)|les_deux|egalite|aucune_preference|pareggio|entrambi|0)(?:_.*)?"
)
#: "Accuracy (1-5)", "Accuracy [0 to 100]": the scale stands in the heading.
_SCALED = re.compile(
    r"(.*?)\s*[(\[]\s*(-?\d+)\s*(?:-|–|to|bis|à|até|hasta|tot|…|\.\.)\s*(\d+)(?:\s*[,;:].*)?\s*[)\]]\s*[?:]?\s*"
)
#: "How fluent is it? (1 = not at all, 5 = very)": the ends of the scale with what they mean.
_EXPLAINED = re.compile(
    r"(.*?)\s*[(\[]\s*(-?\d+)\s*[=:][^()\[\]]*(?:[,;…–/-]|\.{2,}|\bto|\bbis|\bà)\s*(\d+)\s*[=:][^()\[\]]*[)\]]\s*[?:]?\s*"
)
#: "Rank (1 = best)": what one end of the scale means.
_ONE_END = re.compile(r"\s*[(\[]\s*\d+\s*=\s*[^()\[\]\d]*[)\]]\s*$")
#: "Coherence (out of 5)", "Fluency /5".
_OUT_OF = re.compile(r"(.*?\S)\s*(?:[(\[]\s*)?(?:out of|/)\s*\d+\s*[)\]]?\s*")
#: "Q1.", "Q2_1:", "3)": the number of a question before its text.
_NUMBERED = re.compile(r"(?:Q\d[\w.]*|\d+)\s*[.:)]\s+(?=\S)")
#: "annotations.coherence.score", as nested data are flattened into columns.
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)+")
#: "Usable without edits [flg]": the type of a field, as help desks export it.
_TYPED = re.compile(r"(?<=\S)\s*\[(?:txt|list|flg|mlt|msl|int|dec|date|chk)\]\s*$")
#: "How good is the summary? [Coherence]", as grids of web forms are exported.
_GRID = re.compile(r".+\[\s*([^\[\]]{1,60})\s*\]\s*")


#: "Prüfer/in", "Bewerter:innen", "évaluateur(rice)": both forms of a word.
_OF_BOTH = re.compile(r"(?<=[a-z])(?:[/:*](?:in|innen|e|rice|a)|\((?:in|e|rice|a)\))(?![a-z])")


@lru_cache(maxsize=4096)
def normalised(name: str) -> str:
    """A column name for comparison: lower case without accents, words joined by underscores (``call_id``)."""
    plain = name if name.isascii() else unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)) if plain is not name else name
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", _OF_BOTH.sub("", plain.strip()))
    return re.sub(r"[\W_]+", "_", parted.lower()).strip("_")


def heading(name: str) -> tuple[str, str | None]:
    """What a column of ratings is called, and the scale in its heading: ``Accuracy (1-5)``, ``Rate it [Coherence]``."""
    name = _NUMBERED.sub("", name.strip(), count=1) if _NUMBERED.match(name.strip()) else name
    name = _ONE_END.sub("", _TYPED.sub("", name))
    scaled = _SCALED.fullmatch(name) or _EXPLAINED.fullmatch(name)
    if scaled and scaled[1] and int(scaled[2]) < int(scaled[3]):
        return heading(scaled[1])[0], f"{scaled[2]}-{scaled[3]}"
    out_of = _OUT_OF.fullmatch(name)
    name = out_of[1] if out_of else name
    grid = _GRID.fullmatch(name)
    return (grid[1].strip(), None) if grid else (_last_dimension(name.strip()), None)


def _last_dimension(name: str) -> str:
    """The dimension on a path that ends with its value (``annotations.coherence.score``); other names as they are."""
    parts = name.split(".") if _DOTTED.fullmatch(name) else [name]
    if len(parts) > 1 and normalised(parts[-1]) in USES["value"] and is_dimension(normalised(parts[-2])):
        return parts[-2]
    return parts[-1] if len(parts) > 1 and is_dimension(normalised(parts[-1])) else name


def is_id(name: str) -> bool:
    """Whether a normalised name says that a column identifies dialogues."""
    return bool(_ID.fullmatch(name)) and not _OTHER_ID.fullmatch(name)


def is_bare_id(name: str) -> bool:
    """Whether a normalised name could identify dialogues if the values are short: ``ticket``, ``call``, ``hash``."""
    return bool(_BARE_ID.fullmatch(name))


def is_other_id(name: str) -> bool:
    """Whether a normalised name is that of an id of something else than a dialogue."""
    return bool(_OTHER_ID.fullmatch(name))


def is_housekeeping(name: str, in_words: bool = False) -> bool:
    """Whether a normalised name says that the numbers of a column are no judgements.

    What is answered ``in_words`` counts nothing: ``no_new_facts`` with yes and no is a question.
    """
    if name in DIMENSIONS or speaks_of_faults(name) or (in_words and _COUNTING.match(name)):
        return False
    return bool(_HOUSEKEEPING.fullmatch(name))


_COUNTING = re.compile(r"(?:n|num|number|no|count|total)_")


#: "How sure (1-3)", "confidence", "judge_confidence", "How confident are you?", "Wie sicher sind Sie sich?".
_CERTAINTY = re.compile(
    r"(?:how_)?(?:sure|certain|confident)(?:_(?:are|were|do)_you)?(?:_.*)?|(?:\w+_)?(?:confidence|certainty|self_?confidence)(?:_\w+)?"
    r"|(?:is_|not_)?(?:unsure|uncertain|unsicher|inseguro)(?:_flag)?|not_sure"
    r"|(?:wie_)?sicher(?:_(?:sind|waren|bist|warst)_.*)?|(?:\w+_)?sicherheit_(?:der_|des_|ihrer_)?(?:bewert|urteil|einschatz)\w*"
    r"|(?:urteils|bewertungs)sicherheit|(?:que_tan_|cuan_)?segur[oa](?:_\w+)?|(?:nivel_de_)?confianza|(?:niveau_de_)?confiance"
)
_SIDES = frozenset(["a", "b", "1", "2", "left", "right", "first", "second"])


def says_how_sure(name: str) -> bool:
    """Whether a normalised name is that of how sure people were of what they said.

    How confident one of two options sounds may be judged: that is said of a side.
    """
    return bool(_CERTAINTY.fullmatch(name)) and not _SIDES & set(name.split("_"))


def is_person(name: str) -> bool:
    """Whether a normalised name is that of people who judge: ``annotator``, ``worker_id``, ``reviewer_email``."""
    words = set(name.split("_"))
    return name in USES["annotator"] or (
        bool(words & TELLING["annotator"]) and words - TELLING["annotator"] <= _OF_PERSON
    )


#: Words in the names of what is said of people, and names none of them: ``worker_lang``, ``rater_country``.
OF_EACH_PERSON = frozenset(
    _names(
        "lang language locale country region nationality gender sex age education group pool role type level team site "
        "native experience seniority"
    )
)
_OF_PERSON = frozenset(_names("id email mail name login code no number key uuid initials handle user username"))


def is_metric(name: str) -> bool:
    """Whether a normalised name is that of a score which a program computes."""
    return bool(_METRICS.fullmatch(name))


def is_of_conversation(name: str) -> bool:
    """Whether a normalised name is that of a customer's word on a talk, not on its summary: ``conversation_rating``."""
    return bool(_OF_CONVERSATION.fullmatch(name))


def averaged(name: str) -> str | None:
    """The dimension whose mean a normalised name is: ``avg_coherence``, ``fluency_mean``; None for others."""
    rest = re.sub(r"^(?:mean|avg|average|median)_(?:of_)?|_(?:mean|avg|average|median)$", "", name)
    return rest if rest != name and is_dimension(rest) else None


def is_dimension(name: str) -> bool:
    """Whether a normalised name is that of a dimension."""
    trimmed = re.sub(r"^(?:human|expert|annotator|rating|score)_|_(?:score|rating|label|likert)$", "", name)
    return name in DIMENSIONS or trimmed in DIMENSIONS


def speaks_of_summaries(title: str) -> bool:
    """Whether a heading has a word for summaries, or for a quality of theirs."""
    words = normalised(heading(title)[0]).split("_")
    forms = {form for word in words for form in (word, word.removesuffix("s"), f"{word.removesuffix('ies')}y")}
    return bool(forms & {*USES["summary"], *TELLING["summary"]}) or any(map(is_dimension, forms))


def asks_for_dimension(title: str) -> bool:
    """Whether a heading is a question about one dimension: "How coherent is the summary?"."""
    words = set(normalised(title).split("_"))
    return title.rstrip().endswith("?") and len(words & DIMENSIONS) == 1
