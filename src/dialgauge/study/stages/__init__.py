"""The stages of a study, one module each: section of the study file, work, tables, panel of the report."""
