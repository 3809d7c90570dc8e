/** Signs that mean the same in every language: of a joke, of a program's output, of a place in the project. */

/** A laugh makes a saying of what looks like an order. */
const JOKE =
  /(?<![\p{L}\p{N}])(?:lol|lmao|rofl|xd+|mdr|ptdr|jaja\p{L}*|jeje\p{L}*|haha\p{L}*|hehe\p{L}*|hihi\p{L}*|ahah\p{L}*|k{3,}|(?:rs){2,}|wk(?:wk)+|w{3,}(?!\.)|ахах\p{L}*|хаха\p{L}*|хех\p{L}*|хихи|лол|ههه+|हाहा\p{L}*|हाह)(?![\p{L}\p{N}])|(?:^|\s)[:;=]-?[)DPp]+(?=\s|$|[.!])|\){3,}|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[wｗ]+\s*$|笑\s*$|[ㅋㅎ]{2,}|哈哈|呵呵|嘻嘻|233+|[😀-😆😉😊😏😜-😝😹🤣🙃🤪]/u;

export const isJoke = (sentence: string) => JOKE.test(sentence);

const ALARM =
  'error|errors?|err!?|warn(?:ing)?|fatal|panic|exception|fehler|ausnahme|warnung|erreur|avertissement|attention|excepcion|excepción|erro|exce[cç][aã]o|exceção|errore|eccezione|avviso|fout|uitzondering|waarschuwing|fel|undantag|błąd|blad|wyjątek|wyjatek|ostrzeżenie|chyba|výjimka|hata|istisna|uyarı|lỗi|ngoại lệ|cảnh báo|galat|kesalahan|eksepsi|peringatan|ошибка|исключение|предупреждение|помилка|виняток|попередження|خطأ|استثناء|تحذير|त्रुटि|अपवाद|चेतावनी|エラー|例外|警告|오류|예외|경고|错误|異常|异常|報錯|报错|報错|錯誤';

/** Begins as a program's message: a name of a kind of error, a time, a name of a tool, and a colon or bracket. */
const OF_MACHINE = new RegExp(
  [
    `^\\W{0,3}(?:[\\w.]+[:\\s]+){0,2}?(?:${ALARM})(?:\\s(?:\\p{L}+\\s?){0,3}|\\s?\\[\\w+\\]|\\s?\\(\\w+\\))?\\s?[:：]`,
    '^\\W{0,3}\\d{1,4}[-:/.]\\d\\d[-:/.\\dT]',
    '^\\[[\\w:.\\s-]+\\]',
    '^[\\w.$]*[a-z](?:Error|Exception|Warning|Failure)\\b',
    '^(?:usage|remote|fatal|psql|npm (?:warn|err)|make|git|cargo|pip|docker|node):',
    '^(?:E|FAILED|FAIL|PASS|at)\\s{2,}\\S',
    '^at \\S+ ?\\(',
  ].join('|'),
  'iu',
);

export const isOfMachine = (sentence: string) => OF_MACHINE.test(sentence);

/** A path, a file, or a word for a folder. */
export const PLACE =
  /(?:^|\s)[\w.-]+\/[\w./-]*|(?:^|\s)[\w-]*\.[a-z]{1,5}(?:\s|$)|folder|director|ordner|verzeichnis|dossier|repertoire|carpeta|directorio|pasta|cartella|\bmap\b|mapp|katalog|slozk|klasor|dizin|thu muc|папк|каталог|тек[аиу]|مجلد|फोल्डर|フォルダ|ディレクトリ|配下|폴더|디렉토리|داخل|目录|目錄|文件夹|资料夹/u;

/** New things of a kind are those that are still to come. */
export const FRESH =
  /(?<![\p{L}])(?:new|neue[rsn]?|nouve(?:aux|lles?|au|l)|nuev[oa]s?|nov[oaeiéáyý]\p{L}{0,2}|nuov[oaie]|nieuwe|nya|now[aey]\p{L}{0,2}|yeni|baru|нов[\p{L}]{1,3}|जدي|नए|नई|नया)(?![\p{L}])|新しい|新規|새로운|新的|新增|جديد/u;

/** How names look: a property of all code, whatever is said about it. */
export const CASING = /(?:camel|snake|pascal|kebab|upper)[ _-]?case/u;

/** How code looks, said as bare words: only a rule is said so. */
export const FORM =
  /^(?:(?:single|double|einfache|doppelte|enkele|dubbele) \p{L}*(?:quotes|anfuhrungszeichen|aanhalingstekens)|\d+[ -]?(?:spaces?|leerzeichen|espaces|espacios|espacos|spazi|spaties|пробел\p{L}*|spasi|spacj\p{L}*|mezer\p{L}*|bosluk)|(?:camel|snake|pascal|kebab)[ _-]?case|tabs?(?= (?:for|fur|pour|para|per|voor|not|nicht|everywhere))|utf-?8)(?!.*(?:\bis\b|\bare\b|\bdoes))/u;

/** Things on a screen, and what its user does to them: words about them mostly describe a feature or a fault. */
export const SCREEN =
  /\bcli(?:ck|c)s?\b|klick|klik(?:k|n|\b)|clique|tikla|clics?\b|\bbam\b|кл[иі]к|натиска|点击|點擊|点了|クリック|클릭|نقر|क्लिक|\bbuttons?\b|bouton|\bboton|\bbotao|bottone|\bknop\b|knapp|przycisk|tlacitk|\bbuton|кнопк|按钮|按鈕|ボタン|버튼|बटन|\brows?\b|\bdialogs?\b|\bfields?\b|\bfelder?\b|\bchamps?\b|\bcampos?\b|поле\b|\beintrage?\b|sidebar|dropdown|入力欄|입력창|输入框/u;

/** Something may be unclear: what follows is to be done whenever it is. */
export const UNCLEAR =
  /(?:^|[\s,])(?:if|when|wherever|wenn|falls|bei|si|quand|cuando|se|quando|als|wanneer|bij|om|nar|jesli|gdy|kdyz|pokud|если|когда|якщо|коли|kalau|jika|neu|co|khi|अगर|اذا|عند)(?=\s).*(?:unclear|ambiguous|vague|unklar|ambigu|poco claro|nejasn|niejasn|onduidelijk|oklar|неясн|непонятн|неоднозначн|незрозуміл|ambig|mo ho|غامض|غير واضح)|曖昧|不明点|애매|불분명|模糊|歧义|belirsiz|साफ न|स्पष्ट न/u;

/** One thing for each unit of work. */
export const PER_UNIT =
  /(?:^|\s)(?:per|por|par|pro|na|za|moi|mỗi|satu)\s(?:commit|pr|pull request|branch)(?=\s|$|,)|один коммит|один коміт|her committe|1 ?(?:コミット|commit)|커밋 하나/u;

/** Every single thing of a kind of code. */
export const EVERY_THING =
  /(?:every|each|jede[rsnm]?|chaque|cada|toda|ogni|elke?|varje|kazd\p{L}+|her|кажд\p{L}+|кожн\p{L}+|كل|हर|moi|setiap)\s(?:\S+\s){0,2}?\S*(?:func|fonc|fun[ck]|funz|метод|method|metod|métod|clas|klas|endpoint|module?|migra|query|depend|abhang|функ|دال|फंक्शन|\bham\b)/u;

const ON_SCREEN =
  'dropdowns?|drop-down|modals?|menus?|menue|popups?|tooltips?|toasts?|spinners?|checkbox(?:es)?|sliders?|banners?|navbar|sidebars?|dialogs?|dialoge?|buttons?|bouton|boton|botao|bottone|knop|knapp|przycisk|tlacitko|buton|(?:search |input |text )?fields?|(?:such|eingabe)?feld|champ|campo|page|seite|pagina|strona|sayfa|fenster|fenetre|ventana|janela|finestra|okno|cursor';
const ARTICLE =
  "(?:the|every|each|a|an|this|das|der|die|jede[rs]?|ein|eine|le|la|les|l'|un|une|chaque|el|los|las|una|cada|o|os|as|um|uma|il|lo|gli|i|ogni|het|de|den|det)";
const MODAL =
  '(?:must|should|shall|has to|needs? to|muss|soll|sollte|darf|doit|ne doit|ne peut|debe|deve|siempre|nunca|sempre|mai|moet|mag|ska|maste|far|musi|nie moze|powin\\p{L}+|meli|always|never|only)';

/** A thing of a user interface and what it must do: a requirement of the product, not a way to work on it. */
export const OF_INTERFACE = new RegExp(
  [
    `^(?:${ARTICLE}[ ']?)?(?:[a-z-]+ ){0,2}?(?:${ON_SCREEN})(?: [a-z-]+){0,3}? (?:${MODAL})(?= )`,
    '^(?:кажд\\p{L}+ )?(?:меню|кнопк[аи]|окно|диалог|поле|выпадающ\\p{L}+ \\p{L}+|модальн\\p{L}+ \\p{L}+|страниц[аы]) (?:\\p{L}+ ){0,2}?(?:долж\\p{L}+|всегда|никогда|не долж\\p{L}+)',
    '^(?:这个|每个|该)?(?:下拉[框菜]?单?|弹窗|弹出框|对话框|模态框|菜单|页面|侧边栏|按钮|输入框|提示框|工具提示|光标)[^，。]{0,6}?(?:必须|应该|应当|要|不能|不得|绝对|始终|永远|一律|只能)',
    '^(?:ドロップダウン|モーダル|メニュー|ダイアログ|ボタン|ページ|サイドバー|ツールチップ|入力欄)(?:は|が)',
    '^(?:드롭다운|모달|메뉴|대화상자|버튼|페이지|사이드바|툴팁|입력창)(?:은|는|이|가)',
  ].join('|'),
  'u',
);
