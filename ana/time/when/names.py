"""What days are called in German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Turkish and Japanese.

By what it is in English, with bars between the words. Weekdays and months are those of the CLDR, which a test compares.
"""

NAMES = {
    "today": "heute | heute morgen | heute abend | aujourd'hui | ce matin | ce soir | hoy | esta mañana | esta noche"
    " | oggi | stamattina | stasera | hoje | vandaag | vanavond | idag | i dag | ikväll | dziś | dzisiaj | bugün"
    " | 今日",
    "tomorrow": "morgen | morgen früh | demain | demain matin | mañana | mañana por la mañana | domani | domani mattina"
    " | amanhã | imorgon | i morgon | jutro | yarın | 明日",
    "day after tomorrow": "übermorgen | après-demain | après demain | pasado mañana | dopodomani | depois de amanhã"
    " | overmorgen | i övermorgon | pojutrze | 明後日",
    "yesterday": "gestern | ayer | ieri | ontem | gisteren | igår | i går | wczoraj | dün | 昨日",
    "this week": "diese woche | in dieser woche | cette semaine | esta semana | questa settimana | deze week | bu hafta"
    " | 今週",
    "next week": "nächste woche | nächster woche | in der nächsten woche | la semaine prochaine | semaine prochaine"
    " | la próxima semana | próxima semana | la semana que viene | la prossima settimana | prossima settimana"
    " | volgende week | gelecek hafta | 来週",
    "this weekend": "dieses wochenende | am wochenende | ce week-end | ce weekend | este fin de semana"
    " | questo fine settimana",
    "end of the month": "monatsende | ende des monats | fin du mois | fin de mes | fine mese",
    "monday": "montag | lundi | lunes | lunedì | segunda-feira | maandag | måndag | poniedziałek | pazartesi | 月曜",
    "tuesday": "dienstag | mardi | martes | martedì | terça-feira | dinsdag | tisdag | wtorek | salı | 火曜",
    "wednesday": "mittwoch | mercredi | miércoles | mercoledì | quarta-feira | woensdag | onsdag | środa | çarşamba"
    " | 水曜",
    "thursday": "donnerstag | jeudi | jueves | giovedì | quinta-feira | donderdag | torsdag | czwartek | perşembe"
    " | 木曜",
    "friday": "freitag | vendredi | viernes | venerdì | sexta-feira | vrijdag | fredag | piątek | cuma | 金曜",
    "saturday": "samstag | sonnabend | samedi | sábado | sabato | zaterdag | lördag | sobota | cumartesi | 土曜",
    "sunday": "sonntag | dimanche | domingo | domenica | zondag | söndag | niedziela | pazar | 日曜",
    "january": "januar | jänner | janvier | enero | gennaio | janeiro | januari | stycznia | ocak",
    "february": "februar | février | febrero | febbraio | fevereiro | februari | lutego | şubat",
    "march": "märz | mars | marzo | março | maart | marca | mart",
    "april": "april | avril | abril | aprile | kwietnia | nisan",
    "may": "mai | mayo | maggio | maio | mei | maj | maja | mayıs",
    "june": "juni | juin | junio | giugno | junho | czerwca | haziran",
    "july": "juli | juillet | julio | luglio | julho | lipca | temmuz",
    "august": "august | août | agosto | augustus | augusti | sierpnia | ağustos",
    "september": "september | septembre | septiembre | settembre | setembro | września | eylül",
    "october": "oktober | octobre | octubre | ottobre | outubro | października | ekim",
    "november": "november | novembre | noviembre | novembro | listopada | kasım",
    "december": "dezember | décembre | diciembre | dicembre | dezembro | december | grudnia | aralık",
    "": "guten morgen | am morgen | jeden morgen | por la mañana | de la mañana | la mañana | goedemorgen | god morgon"
    " | los lunes | los martes | los miércoles | los jueves | los viernes | los sábados | los domingos"
    " | mardi gras | santo domingo",
}
"""The last only look like a day."""
