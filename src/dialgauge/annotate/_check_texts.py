"""What attention checks say, in the languages of the annotators' pages."""

#: ``lowest`` and ``highest`` ask for an end of every scale, so that they fit each; ``best`` and ``worst`` are
#: candidates of a comparison that ask to be chosen.
CHECKS = {
    "en": {
        "lowest": "This is an attention check, not a summary. Please choose the lowest point on every scale.",
        "highest": "This is an attention check, not a summary. Please choose the highest point on every scale.",
        "best": "This is an attention check, not a summary. Please choose this text as the best one everywhere.",
        "worst": "This is an attention check, not a summary. Please choose this text as the worst one everywhere.",
    },
    "zh": {
        "lowest": "这不是摘要，而是一道注意力检查题。请在每个量表上选择最低分。",
        "highest": "这不是摘要，而是一道注意力检查题。请在每个量表上选择最高分。",
        "best": "这不是摘要，而是一道注意力检查题。请在每个问题中都把这段文字选为最好的。",
        "worst": "这不是摘要，而是一道注意力检查题。请在每个问题中都把这段文字选为最差的。",
    },
    "fr": {
        "lowest": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez le point le plus bas de chaque échelle.",
        "highest": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez le point le plus haut de chaque échelle.",
        "best": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez ce texte comme le meilleur à chaque question.",
        "worst": "Ceci est une vérification de l’attention, pas un résumé. "
        "Choisissez ce texte comme le plus mauvais à chaque question.",
    },
    "de": {
        "lowest": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie auf jeder Skala den niedrigsten Punkt.",
        "highest": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie auf jeder Skala den höchsten Punkt.",
        "best": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie diesen Text bei jeder Frage als den besten.",
        "worst": "Dies ist eine Prüfung der Aufmerksamkeit, keine Zusammenfassung. "
        "Bitte wählen Sie diesen Text bei jeder Frage als den schlechtesten.",
    },
    "es": {
        "lowest": "Esto es un control de atención, no un resumen. Elija el punto más bajo de cada escala.",
        "highest": "Esto es un control de atención, no un resumen. Elija el punto más alto de cada escala.",
        "best": "Esto es un control de atención, no un resumen. Elija este texto como el mejor en cada pregunta.",
        "worst": "Esto es un control de atención, no un resumen. Elija este texto como el peor en cada pregunta.",
    },
    "pt": {
        "lowest": "Isto é uma verificação de atenção, não um resumo. Escolha o ponto mais baixo de cada escala.",
        "highest": "Isto é uma verificação de atenção, não um resumo. Escolha o ponto mais alto de cada escala.",
        "best": "Isto é uma verificação de atenção, não um resumo. Escolha este texto como o melhor em cada pergunta.",
        "worst": "Isto é uma verificação de atenção, não um resumo. Escolha este texto como o pior em cada pergunta.",
    },
    "ja": {
        "lowest": "これは要約ではなく、注意力の確認です。すべての尺度で最も低い点を選んでください。",
        "highest": "これは要約ではなく、注意力の確認です。すべての尺度で最も高い点を選んでください。",
        "best": "これは要約ではなく、注意力の確認です。すべての質問でこの文章を最も良いものとして選んでください。",
        "worst": "これは要約ではなく、注意力の確認です。すべての質問でこの文章を最も悪いものとして選んでください。",
    },
    "ar": {
        "lowest": "هذا اختبار للانتباه وليس ملخصًا. اختر أدنى نقطة في كل مقياس.",
        "highest": "هذا اختبار للانتباه وليس ملخصًا. اختر أعلى نقطة في كل مقياس.",
        "best": "هذا اختبار للانتباه وليس ملخصًا. اختر هذا النص على أنه الأفضل في كل سؤال.",
        "worst": "هذا اختبار للانتباه وليس ملخصًا. اختر هذا النص على أنه الأسوأ في كل سؤال.",
    },
}
