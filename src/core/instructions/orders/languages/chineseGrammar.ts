/** Recognises Chinese sentences that state a lasting demand. Callers remove quotations first. */

const QUESTION =
  /[吗呢][。.！!～~]*$|[？?]|要不要|是不是|能不能|可不可以|会不会|有没有|该不该|为什么|为何|怎么|什么意思|吧[。.]*$/;

/** For this once. */
const ONCE =
  /先(?:不|别|把|看|等)|暂时|暂且|这次|这一次|这回|本次|现在(?:不|别|先)|目前|今天|明天|稍后|等[^，,]*再|再说|刚才|刚刚|还(?:不要|别)|今晚|一会儿?/;

const LASTING =
  /从现在(?:起|开始)|从今(?:以后|往后|起)|以后|今后|往后|永远|始终|任何(?:时候|情况)|无论如何|每次|凡是|一律/;

const DISMISSED = /^(?:担心|急|着急|忘|客气|管|怕|慌|紧|介意|理会|灰心|误会)/;

/** Refers to something in the conversation, not in the project. */
const POINTING = /^(?:动|改|碰|管|做|用|删|运行|提交)?(?:它|这个|那个|这样|那样|这么|那么)(?:了|做)?[。.！!]*$/;

const OPENING =
  /^(?:(?:另外|还有|此外|但是?|不过|而且|并且|同时|注意|重要|然后|最后|对了|以及|好的?|谢谢|请记住|记住|切记)[，,：:\s]*)*(?:请你?|麻烦你?|拜托|希望你|我要你|我要求你|你)?\s*/;

const STRONG = '(?:绝对|千万|永远|永久|一定|无论如何|任何情况下|任何时候|都|也|再也|就)*';
const FORBIDS = '(?:不要|别|请勿|勿|切勿|禁止|严禁|不得|不准|不许|不可以|不可|不能|不应该?|绝不|决不|永不|杜绝)';
const FORBIDDEN = new RegExp(`^${STRONG}${FORBIDS}(?:再|去|随意|擅自|直接|使用)?(.*)$`, 'u');

/** Something in the project, followed by a rule about it. */
const PRONOUN = '(?:它|他|她|我|咱|这|那|谁|还是|因为|如果|日志|文档|为|看|你说|用户|老师)';

const RULED = new RegExp(
  `^(?!${PRONOUN})[^，,。]{1,24}?(?:(?:${STRONG})(?:不得|不准|不许|禁止|严禁|必须|务必|一律|绝不能|绝不可以?|不可以|一定要|只能|只许|只准|应始终|统一)|(?:不要|不能|别)(?:用|使用|写|加|改|动|碰|有|出现|包含|访问|依赖|引入|调用|提交|超过|直接|跳过|修改|删|放|输出|打印|混用|省略|留|存|带|暴露|泄露|遗留|硬编码|手动|发|提到|涉及|绕过|关闭|忽略))`,
  'u',
);

const ASKING =
  /(?:先|必须|一定要|务必|都要|得|要)(?:[^，,。]{0,6})(?:问我|征求我|告诉我|通知我|跟我确认|和我确认|向我确认|经过我|得到我)|(?:没有|未经|未得到|没经过|不经)我的?[^，,。]{0,4}(?:同意|允许|许可|批准|确认|授权|点头)|除非我/;

const LANGUAGE =
  /(?:用|以|使用)(?:简体|繁体)?(?:中文|英文|英语|日语|日文|韩语|韩文|德语|法语|西班牙语|俄语|汉语|普通话)(?:来)?(?:和我|跟我|与我)?(?:回答|回复|交流|沟通|答复|说话|解释)|(?:回答|回复|答复)(?:我)?(?:时|的时候|都|一律|请|始终|只)*(?:用|使用)(?:中文|英文|英语|汉语)/;

const LASTS = /^(?:从现在(?:起|开始)|从今(?:以后|往后|起)|以后|今后|往后|凡是|任何时候|任何情况下|全程|自始至终)/;

const ALWAYS =
  /^(?:始终|总是|一直|永远|务必|必须|一律|一定要|统一|坚持|确保(?:始终|一直|每次))(?!说|失败|报错|超时|出错|不会|是这样|有|在[等转])/;

const EACH_TIME =
  /^(?:每次|每当|每一次|每回)[^。]*(?:必须|都要|都得|务必|一定要|都应|就要|要先|先要|都先|请(?!求)|要(?!求)|再)/;

const ALL =
  /^(?:所有|全部|任何|每个|每一个|每条|各个?|一切)[^。]*(?:必须|都?要(?!是)|都得|都(?:用|按|走|放|存|写|由|通过|经过|采用|使用|遵循)(?!了|失败|成功)|应当?该?|不得|不能|不许|一律|只能|需要|禁止)/;

const ONLY =
  /^(?:只能|只用|只许|只准|只允许|只可以|仅能|仅限|仅用|仅允许|只(?:改|动|使用|修改|在|写|碰|依赖|支持))(?!.*(?:出现|发生|失败|报错|问题|成功))/;

const STYLE = /^(?:尽量(?:避免|不|少|使用|保持|用|多)|避免|保持|优先|遵守|遵循|统一|坚持|杜绝)(?!联系)/;

/** A preference of the person. 第一个 and the like choose for this once. */
const RATHER =
  /^(?:我|我们)(?:更|比较|还是)*(?:希望|喜欢|倾向于?|偏好|想要?|宁愿|宁可)(?!.*第[一二三四五])(?!.*[这那]个)(?:.*(?:而不是|胜过|优于|不要|别|不用)|你(?:每|都|总|始终|先|一律|尽量|以后|.*(?:之?前|的?时候?).*(?:先|都|要|再)))|^宁(?:可|愿|肯).*(?:不|别)/;

const SEE_TO = /^(?:请|务必|一定要?)*(?:确保|保证|保持)(?=.*(?:所有|任何|每|全部|一切|始终|一直|不|没有|无|都))/;

/** A program's check of a value. */
const OF_A_VALUE = /(?:不能|不得|必须|不可以?)(?:为|是|小于|大于|等于|包含非|重复)/;

/** Pass the sentence without its quotations. */
export function isChineseOrder(sentence: string): boolean {
  const oneLine = sentence.replace(/\s+/g, ' ').trim();
  if (
    QUESTION.test(oneLine) ||
    /^(?:error|warn(?:ing)?|fatal|错误|警告|异常|报错|\[)[^，,。]{0,20}[:：\]]/i.test(oneLine)
  )
    return false;
  if (ONCE.test(oneLine) && !LASTING.test(oneLine) && !ASKING.test(oneLine)) return false;
  if (LANGUAGE.test(oneLine) || ASKING.test(oneLine)) return true;
  if (/^(?:请)?(?:记住|切记|牢记)[：:，,]/.test(oneLine)) return true;
  const opened = oneLine.replace(/^(?:请|另外|还有|[，,\s])*/, '');
  if (RATHER.test(opened) || SEE_TO.test(opened)) return true;
  return oneLine.split(/[，,；;：:。！!]/).some((clause) => demands(clause.trim()));
}

function demands(clause: string): boolean {
  const rest = clause.replace(OPENING, '');
  if (rest === '') return false;
  const [, what] = FORBIDDEN.exec(rest) ?? [];
  if (what !== undefined) return what !== '' && !DISMISSED.test(what) && !POINTING.test(what);
  if (/^(?:它|他|她|我|这|那)/.test(rest)) return false;
  if (OF_A_VALUE.test(rest)) return false;
  return [LASTS, ALWAYS, EACH_TIME, ALL, ONLY, STYLE, RULED].some((pattern) => pattern.test(rest));
}
