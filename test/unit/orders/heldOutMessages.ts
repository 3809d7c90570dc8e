/**
 * Messages to a coding agent in many languages, written for this project before the detector was changed and without a look
 * at what it does with them. Nothing is tuned on them: what the detector makes of them says what it makes of messages that
 * nobody has seen.
 */

import type { Labelled } from './labelledMessages.ts';

export const HELD_OUT: Labelled = {
  English: {
    orders: {
      secrets: ['dont ever print the api key', 'Credentials stay out of the repo.', 'never read .env files pls'],
      permission: [
        'run it by me before touching the schema',
        'dont install anything globally without my ok',
        'You need my explicit approval for every git push.',
        'hands off the terraform stuff',
      ],
      style: [
        'No comments in the code unless the logic is really weird',
        '2 space indent everywhere',
        'keep commits small',
        'Error messages start with a lowercase letter and have no trailing period.',
        'i hate ternaries so dont use them',
      ],
      tools: ['we use bun here not node', 'Use rg instead of grep when searching.', 'uv for everything python, no pip'],
      places: [
        'Tests go into test/unit.',
        'put all new types in types.ts',
        'Docs live under docs/, one page per feature.',
      ],
      answers: ['be brief in all your replies', 'stop apologizing', "please don't summarize what you did again"],
      conditions: [
        'whenever you change the proto files regenerate the stubs',
        'After each step, run the test suite before moving on.',
        'if something is unclear ask instead of guessing',
      ],
      lasting: [
        'from now on only touch files i mention',
        'As a rule, branch names carry the ticket number.',
        'Going forward no more than one file per commit',
        'remember that i am on windows so no bash scripts',
      ],
    },
    within: [
      ['can you fix the flaky login test? and btw never use sleep in tests', ['never use sleep in tests']],
      [
        'add the export button to the toolbar. it should download a csv. Do not add any new packages for this or anything else.',
        ['Do not add any new packages for this or anything else.'],
      ],
      [
        'ok so some ground rules:\n- always typecheck before you say done\n- no `any`\n- dont touch generated/\nnow look at the build error',
        ['- always typecheck before you say done', '- no `any`', '- dont touch generated/'],
      ],
      [
        'thanks that works. for future reference we write dates as yyyy-mm-dd',
        ['for future reference we write dates as yyyy-mm-dd'],
      ],
    ],
    none: {
      question: [
        'do we always have to rebuild after that?',
        'why would anyone never close the file',
        'should i use tabs or spaces here',
        'is it true that you must not call setState in render?',
      ],
      task: [
        'use the second api key for this request',
        'just this once skip the hooks',
        'dont run it yet, i want to look at the diff first',
        'for this task ignore the linter',
        'make the header sticky and remove the shadow',
        'Add validation so that the username must not contain spaces.',
      ],
      log: [
        'error: you must specify a region',
        'ValueError: all arrays must be of the same length',
        'warning: unused variable `x`, never used',
        '2024-03-02 10:22:11 ERROR worker must not be restarted while draining',
      ],
      quote: [
        'my boss said "never deploy on friday" lol',
        'the docs say you should always pass a key, but we do and it still warns',
        'the comment above says // do not remove, do you know why',
      ],
      statement: [
        'this never worked on my machine',
        'i always forget the syntax for that',
        'we only have three users so far',
        'nobody touched that file since 2019',
        'all tests must have been green before the merge',
      ],
      joke: [
        'never trust a developer on a friday haha',
        'always blame the intern :D',
        'rule number one: never mass-delete prod ;)',
      ],
      withdrawn: ["you don't always need to run the full suite", 'no need to ask me anymore'],
    },
  },
  'Chinese, simplified': {
    orders: {
      permission: ['没问过我之前别装新的包', '动数据库之前先跟我确认一下', '未经许可不得合并分支'],
      style: ['注释用中文写', '函数别超过50行', '代码风格统一用双引号', '不要写废话注释'],
      tools: ['用 pnpm 别用 npm', '以后都用 rg 搜索，不要用 grep'],
      secrets: ['不许把 token 写进代码里'],
      conditions: ['每次改完代码都跑一下测试', '改接口的时候记得同步更新文档'],
      answers: ['回答尽量简短一点，不要每次都总结', '往后说话都用中文'],
    },
    within: [
      ['帮我修一下登录报错，还有以后不要动 config 目录', ['还有以后不要动 config 目录']],
      ['这个没问题了。接下来所有的 PR 标题都要带上工单号。', ['接下来所有的 PR 标题都要带上工单号。']],
    ],
    none: {
      question: ['为什么不能用 any 呢', '所有文件都要改吗', '是不是永远不会执行到这里'],
      task: ['这次就先不写测试了', '把按钮改成红色，别用蓝色的那个图标', '先别提交，我看一眼'],
      log: ['错误：端口必须在 1 到 65535 之间', '警告: 请勿重复提交表单 (code 409)'],
      quote: ['老板说“绝对不要周五上线”，哈哈', '文档里说必须先初始化，但是我已经初始化了'],
      statement: ['这个接口从来没有通过测试', '我每次都忘记加分号', '用户必须登录后才能看到这个页面，现在没生效'],
    },
  },
  'Chinese, traditional': {
    orders: {
      permission: ['沒有我的同意不要推送到 main', '刪除檔案之前一定要先問我'],
      style: ['變數名稱一律用英文', '請不要使用 any 型別'],
      lasting: ['從現在開始都用繁體中文回覆', '以後提交訊息請寫英文'],
      secrets: ['絕對不要把密碼印在日誌裡'],
    },
    within: [['幫我看一下這個錯誤，另外千萬不要動 migrations 資料夾', ['另外千萬不要動 migrations 資料夾']]],
    none: {
      question: ['為什麼這裡不能用 async？', '需要每次都重新編譯嗎'],
      task: ['這次先不要跑測試', '幫我把這個函式改成非同步的'],
      statement: ['這個測試從來沒有過', '他總是忘記關連線'],
    },
  },
  German: {
    orders: {
      permission: [
        'frag mich vorher wenn du pakete installieren willst',
        'Ohne meine Freigabe wird nichts gepusht.',
        'lass die finger von der config',
      ],
      style: [
        'Keine Kommentare im Code, bitte.',
        'Variablennamen immer auf englisch',
        'Einrückung mit 4 Leerzeichen, keine Tabs',
      ],
      tools: ['nimm pnpm, nicht npm', 'benutz bitte durchgehend vitest statt jest'],
      lasting: ['ab jetzt antworte auf deutsch', 'künftig bitte kleine commits'],
      conditions: [
        'jedes mal wenn du was am schema änderst, führ die migration lokal aus',
        'vor jedem commit den linter laufen lassen',
      ],
      secrets: ['Passwörter dürfen nie im Log landen'],
    },
    within: [
      [
        'bau bitte den export ein. und rühr dabei und auch sonst nie den ordner legacy an',
        ['und rühr dabei und auch sonst nie den ordner legacy an'],
      ],
    ],
    none: {
      question: ['muss man da immer neu bauen?', 'warum darf man das nie im konstruktor aufrufen'],
      task: ['diesmal ohne tests bitte', 'noch nicht committen, ich schau erst drüber', 'mach den button grün'],
      log: ['FEHLER: Der Wert darf nicht leer sein (Zeile 12)'],
      quote: ['Der Chef meint „niemals freitags deployen“, haha'],
      statement: ['das hat noch nie funktioniert', 'ich vergesse immer das semikolon', 'alle tests sind grün, danke'],
    },
  },
  French: {
    orders: {
      permission: [
        'demande moi avant de supprimer quoi que ce soit',
        'ne touche pas au dossier legacy',
        'Rien ne doit être poussé sans mon accord.',
      ],
      style: [
        'pas de commentaires dans le code stp',
        'les noms de variables toujours en anglais',
        'Évite les fonctions de plus de 30 lignes.',
      ],
      tools: ['utilise pnpm et pas npm', 'à partir de maintenant on passe par docker compose pour tout lancer'],
      lasting: ['désormais réponds en français', 'à chaque modif du schéma, régénère le client'],
      secrets: ["n'affiche jamais le contenu du .env"],
    },
    within: [['corrige le bug du panier svp. et ne commit jamais à ma place', ['et ne commit jamais à ma place']]],
    none: {
      question: ['faut il toujours relancer le serveur ?', 'pourquoi ça ne marche jamais en prod'],
      task: [
        'pour cette fois ne lance pas les tests',
        'ne commit pas encore, je relis',
        'ajoute un bouton export dans la barre',
      ],
      log: ['Erreur : le champ « email » ne doit pas être vide'],
      quote: ['la doc dit « ne jamais modifier ce fichier », pourquoi ?'],
      statement: ["j'oublie toujours le point virgule", 'tous les tests passent, merci'],
    },
  },
  Spanish: {
    orders: {
      permission: [
        'preguntame antes de instalar cualquier cosa',
        'no toques la carpeta migrations',
        'Nada se sube a producción sin mi permiso.',
      ],
      style: [
        'sin comentarios en el codigo por favor',
        'nombres de variables siempre en ingles',
        'Los mensajes de commit van en imperativo.',
      ],
      tools: ['usa pnpm, no npm', 'prefiero que uses fetch en vez de axios en todo el proyecto'],
      lasting: ['a partir de ahora respondeme en español', 'recuerda que el proyecto tiene que funcionar con node 18'],
      secrets: ['jamas imprimas los tokens'],
    },
    within: [
      [
        'arregla el login y de ahora en adelante corre los tests antes de decir que terminaste',
        ['arregla el login y de ahora en adelante corre los tests antes de decir que terminaste'],
      ],
    ],
    none: {
      question: ['¿siempre hay que reiniciar el servidor?', 'por que nunca entra en este if'],
      task: ['esta vez no corras los tests', 'no hagas commit todavia', 'cambia el color del boton a verde'],
      log: ['Error: el campo nombre no debe estar vacío'],
      quote: ['el readme dice "no editar nunca este archivo", es cierto?'],
      statement: ['siempre se me olvida el punto y coma', 'esto nunca funcionó en mi máquina'],
    },
  },
  Portuguese: {
    orders: {
      permission: [
        'me pergunta antes de apagar qualquer arquivo',
        'não mexe na pasta legacy',
        'Nunca dê push na main.',
      ],
      style: ['nada de comentários no código', 'Todos os nomes de variáveis devem ser em inglês.'],
      tools: ['use pnpm em vez de npm sempre'],
      lasting: ['de agora em diante responda em português', 'a partir de hoje só commits pequenos'],
      secrets: ['as senhas não podem aparecer no log'],
    },
    within: [
      ['corrige o teste quebrado aí. e por favor não altere a api pública', ['e por favor não altere a api pública']],
    ],
    none: {
      question: ['precisa sempre rodar o build?', 'por que ele nunca retorna'],
      task: ['dessa vez não roda os testes', 'não commita ainda', 'adiciona um botão de exportar'],
      log: ['Erro: o campo email não pode ser vazio'],
      statement: ['eu sempre esqueço disso', 'todos os testes passaram, valeu'],
    },
  },
  Italian: {
    orders: {
      permission: ['chiedimi prima di installare pacchetti', 'non toccare la cartella legacy'],
      style: ['niente commenti nel codice per favore', 'usa sempre gli apici singoli'],
      lasting: ["d'ora in poi rispondi in italiano", 'ad ogni modifica fai girare i test'],
      secrets: ['non stampare mai le password'],
    },
    within: [
      [
        'sistema il bug del carrello, e mi raccomando non modificare mai le api pubbliche',
        ['sistema il bug del carrello, e mi raccomando non modificare mai le api pubbliche'],
      ],
    ],
    none: {
      question: ['bisogna sempre riavviare il server?'],
      task: ['stavolta salta i test', 'non fare ancora il commit', 'aggiungi un pulsante rosso'],
      log: ['Errore: il valore non deve essere nullo'],
      statement: ['non ha mai funzionato', 'mi dimentico sempre il punto e virgola'],
    },
  },
  Russian: {
    orders: {
      permission: [
        'спрашивай меня перед удалением файлов',
        'не трогай папку legacy',
        'Без моего разрешения ничего не пушить.',
      ],
      style: [
        'никаких комментариев в коде',
        'имена переменных всегда на английском',
        'Сообщения коммитов пиши на английском.',
      ],
      tools: ['используй pnpm а не npm', 'вместо print всегда бери логгер'],
      lasting: ['отныне отвечай по-русски', 'с этого момента после каждого изменения гоняй тесты'],
      secrets: ['никогда не выводи пароли в лог'],
    },
    within: [['почини авторизацию. и запомни: миграции руками не правим', ['и запомни: миграции руками не правим']]],
    none: {
      question: ['почему он никогда не завершается', 'нужно ли всегда пересобирать?'],
      task: ['в этот раз тесты не запускай', 'пока не коммить, я посмотрю', 'сделай кнопку зелёной'],
      log: ['Ошибка: поле не должно быть пустым'],
      quote: ['в комментарии написано «никогда не удалять», это правда?'],
      statement: ['у меня это никогда не работало', 'я всегда забываю про точку с запятой'],
    },
  },
  Japanese: {
    orders: {
      permission: ['ファイルを消す前に必ず聞いて', 'legacyフォルダは触らないで', '許可なく push しないこと'],
      style: ['コメントは日本語で書いてください', '変数名はすべて英語にして', 'any型は禁止'],
      tools: ['npmじゃなくてpnpmを使って', 'パッケージは勝手に追加しないでください。'],
      lasting: ['今後は日本語で回答して', 'これからはコミットを小さくしてください'],
      secrets: ['パスワードは絶対ログに出さないで'],
      conditions: ['変更するたびにテストを実行してください'],
    },
    within: [
      ['ログインのバグを直して。あと設定ファイルは絶対にいじらないで', ['あと設定ファイルは絶対にいじらないで']],
    ],
    none: {
      question: ['なぜ毎回再起動が必要なの?', 'これは必ず必要ですか'],
      task: ['今回はテストなしでいいよ', 'まだコミットしないで', 'ボタンを赤くして'],
      log: ['エラー: 値は空であってはなりません'],
      quote: ['ドキュメントに「絶対に編集しないこと」と書いてあるけど本当?'],
      statement: ['いつもセミコロンを忘れる', '一度も動いたことがない', 'テストは全部通りました、ありがとう'],
    },
  },
  Korean: {
    orders: {
      permission: ['파일 지우기 전에 꼭 나한테 물어봐', 'legacy 폴더는 건드리지 마', '내 허락 없이 push 하지 마세요'],
      style: ['주석은 한국어로 작성해줘 항상', 'any 타입 쓰지 말 것', '변수명은 무조건 영어로'],
      tools: ['npm 말고 pnpm 써'],
      lasting: ['앞으로는 한국어로 대답해', '이제부터 커밋은 작게 나눠줘'],
      secrets: ['비밀번호는 절대 로그에 남기지 마'],
      conditions: ['코드 수정할 때마다 테스트 돌려줘'],
    },
    within: [['로그인 버그 고쳐줘. 그리고 설정 파일은 절대 수정하지 마', ['그리고 설정 파일은 절대 수정하지 마']]],
    none: {
      question: ['왜 항상 다시 빌드해야 해?', '이거 꼭 필요한가요'],
      task: ['이번에는 테스트 돌리지 마', '아직 커밋하지 마', '버튼을 빨간색으로 바꿔줘'],
      log: ['오류: 값은 비어 있을 수 없습니다'],
      statement: ['난 항상 세미콜론을 까먹어', '이건 한 번도 작동한 적이 없어'],
    },
  },
  Polish: {
    orders: {
      permission: ['pytaj mnie zanim coś usuniesz', 'nie ruszaj folderu legacy', 'Bez mojej zgody niczego nie pushuj.'],
      style: ['żadnych komentarzy w kodzie', 'nazwy zmiennych zawsze po angielsku'],
      lasting: ['od teraz odpowiadaj po polsku'],
      secrets: ['nigdy nie loguj haseł'],
      tools: ['używaj pnpm zamiast npm'],
    },
    within: [],
    none: {
      question: ['czemu to nigdy nie działa?', 'czy zawsze trzeba przebudować'],
      task: ['tym razem pomiń testy', 'jeszcze nie commituj', 'zmień kolor przycisku na zielony'],
      log: ['Błąd: pole nie może być puste'],
      statement: ['zawsze zapominam o średniku'],
    },
  },
  Turkish: {
    orders: {
      permission: [
        'bir şey silmeden önce bana sor',
        'legacy klasörüne dokunma',
        'Benim onayım olmadan hiçbir şey pushlama.',
      ],
      style: ['kodda yorum olmasın', 'değişken isimleri her zaman ingilizce olsun'],
      lasting: ['bundan sonra türkçe cevap ver'],
      secrets: ['şifreleri asla loglama'],
      tools: ['npm yerine pnpm kullan'],
    },
    within: [],
    none: {
      question: ['neden hiç çalışmıyor?', 'her zaman yeniden derlemek gerekiyor mu'],
      task: ['bu sefer testleri çalıştırma', 'henüz commit etme', 'butonu yeşil yap'],
      log: ['Hata: alan boş olamaz'],
      statement: ['noktalı virgülü hep unutuyorum'],
    },
  },
  Arabic: {
    orders: {
      permission: ['اسألني قبل حذف أي ملف', 'لا تلمس مجلد legacy', 'لا ترفع أي شيء بدون موافقتي'],
      style: ['بدون تعليقات في الكود من فضلك', 'أسماء المتغيرات دائما بالإنجليزية'],
      lasting: ['من الآن فصاعدا أجب بالعربية'],
      secrets: ['لا تطبع كلمات المرور أبدا'],
      tools: ['استخدم pnpm بدلا من npm'],
    },
    within: [],
    none: {
      question: ['لماذا لا يعمل هذا أبدا؟', 'هل يجب دائما إعادة البناء'],
      task: ['هذه المرة لا تشغل الاختبارات', 'لا تعمل commit الآن', 'غير لون الزر إلى الأخضر'],
      log: ['خطأ: يجب ألا يكون الحقل فارغا'],
      statement: ['دائما أنسى الفاصلة المنقوطة'],
    },
  },
  Hindi: {
    orders: {
      permission: ['कुछ भी हटाने से पहले मुझसे पूछो', 'legacy फोल्डर को मत छेड़ना', 'मेरी अनुमति के बिना push मत करो'],
      style: ['कोड में कोई कमेंट नहीं चाहिए', 'वेरिएबल के नाम हमेशा अंग्रेज़ी में रखो'],
      lasting: ['अब से हिंदी में जवाब दो'],
      secrets: ['पासवर्ड कभी भी लॉग मत करना'],
      tools: ['npm की जगह pnpm इस्तेमाल करो'],
    },
    within: [],
    none: {
      question: ['यह कभी काम क्यों नहीं करता?', 'क्या हमेशा दोबारा बिल्ड करना पड़ता है'],
      task: ['इस बार टेस्ट मत चलाओ', 'अभी commit मत करो', 'बटन को हरा कर दो'],
      log: ['त्रुटि: फ़ील्ड खाली नहीं होना चाहिए'],
      statement: ['मैं हमेशा सेमीकोलन भूल जाता हूँ'],
    },
  },
  Dutch: {
    orders: {
      permission: [
        'vraag het me eerst voordat je iets verwijdert',
        'blijf van de map legacy af',
        'Niets pushen zonder mijn toestemming.',
      ],
      style: ['geen commentaar in de code graag', 'variabelenamen altijd in het engels'],
      lasting: ['vanaf nu antwoord je in het nederlands'],
      secrets: ['log nooit wachtwoorden'],
      tools: ['gebruik pnpm in plaats van npm'],
    },
    within: [],
    none: {
      question: ['waarom werkt dit nooit?', 'moet je altijd opnieuw bouwen'],
      task: ['sla deze keer de tests over', 'nog niet committen', 'maak de knop groen'],
      log: ['Fout: veld mag niet leeg zijn'],
      statement: ['ik vergeet altijd de puntkomma'],
    },
  },
  Vietnamese: {
    orders: {
      permission: [
        'hỏi tôi trước khi xóa bất cứ file nào',
        'đừng động vào thư mục legacy',
        'Không được push khi chưa có sự đồng ý của tôi.',
      ],
      style: ['không viết comment trong code', 'tên biến luôn dùng tiếng anh'],
      lasting: ['từ giờ trả lời bằng tiếng việt'],
      secrets: ['tuyệt đối không in mật khẩu ra log'],
      tools: ['dùng pnpm thay vì npm'],
    },
    within: [],
    none: {
      question: ['tại sao nó không bao giờ chạy?', 'có phải lúc nào cũng cần build lại không'],
      task: ['lần này đừng chạy test', 'khoan commit đã', 'đổi màu nút sang xanh'],
      log: ['Lỗi: trường không được để trống'],
      statement: ['tôi luôn quên dấu chấm phẩy'],
    },
  },
  Indonesian: {
    orders: {
      permission: [
        'tanya dulu sebelum menghapus file apa pun',
        'jangan sentuh folder legacy',
        'Jangan push tanpa izin saya.',
      ],
      style: ['tidak usah ada komentar di kode', 'nama variabel selalu pakai bahasa inggris'],
      lasting: ['mulai sekarang jawab pakai bahasa indonesia'],
      secrets: ['jangan pernah log password'],
      tools: ['pakai pnpm, bukan npm'],
    },
    within: [],
    none: {
      question: ['kenapa ini tidak pernah jalan?', 'apakah harus selalu build ulang'],
      task: ['kali ini jangan jalankan test', 'jangan commit dulu', 'ubah warna tombol jadi hijau'],
      log: ['Galat: kolom tidak boleh kosong'],
      statement: ['saya selalu lupa titik koma'],
    },
  },
  Ukrainian: {
    orders: {
      permission: ['питай мене перш ніж щось видаляти', 'не чіпай теку legacy', 'Без мого дозволу нічого не пуш.'],
      style: ['жодних коментарів у коді', 'назви змінних завжди англійською'],
      lasting: ['відтепер відповідай українською'],
      secrets: ['ніколи не виводь паролі в лог'],
      tools: ['використовуй pnpm замість npm'],
    },
    within: [],
    none: {
      question: ['чому це ніколи не працює?', 'чи завжди треба перезбирати'],
      task: ['цього разу не запускай тести', 'поки не коміть', 'зроби кнопку зеленою'],
      log: ['Помилка: поле не може бути порожнім'],
      statement: ['я завжди забуваю крапку з комою'],
    },
  },
  Swedish: {
    orders: {
      permission: ['fråga mig innan du tar bort något', 'rör inte mappen legacy'],
      lasting: ['från och med nu svarar du på svenska'],
      style: ['inga kommentarer i koden'],
    },
    within: [],
    none: {
      question: ['varför fungerar det aldrig?'],
      task: ['hoppa över testerna den här gången'],
      statement: ['jag glömmer alltid semikolonet'],
    },
  },
  Czech: {
    orders: {
      permission: ['zeptej se mě než něco smažeš', 'nesahej na složku legacy'],
      lasting: ['od teď odpovídej česky'],
      style: ['žádné komentáře v kódu'],
    },
    within: [],
    none: {
      question: ['proč to nikdy nefunguje?'],
      task: ['tentokrát přeskoč testy'],
      statement: ['vždycky zapomenu středník'],
    },
  },
};
