/** What people say over a session about their own orders: given, taken back, changed, said again in other words. */

export interface OrderHistory {
  /** The person's messages, oldest first. */
  readonly says: readonly string[];
  /** Orders that still hold at the end, verbatim. */
  readonly hold: readonly string[];
  /** Each order that was taken back or changed, with the later words that do so, verbatim. */
  readonly over: readonly (readonly [order: string, by: string])[];
  /** Near-equal wordings of an order that holds, of which only the last is told. */
  readonly once?: readonly string[];
}

const over = (order: string, by: string, more: readonly string[] = []): OrderHistory => ({
  says: [order, 'Look at the parser.', by, ...more],
  hold: more,
  over: [[order, by]],
});
const again = (first: string, last: string): OrderHistory => ({
  says: [first, 'Look at the parser.', last],
  hold: [last],
  over: [],
  once: [first],
});
const both = (...orders: readonly string[]): OrderHistory => ({ says: orders, hold: orders, over: [] });

export const HISTORIES: readonly OrderHistory[] = [
  // Permissions in place of prohibitions.
  over('Never commit to main.', 'That is over: you may commit to main now.'),
  over('Do not push to main.', "It's fine to push to main again."),
  over('Never push to main.', 'Go ahead, pushing straight to master is okay from my side.'),
  over('Please never merge into trunk.', 'You can merge into trunk now.'),
  over("Don't touch src/legacy.", "You're free to touch the legacy folder again."),
  over('Do not modify the migrations folder.', 'Feel free to edit migrations.'),
  over('Hands off config/production.yml!', 'config/production.yml is no longer off limits.'),
  over('The folder third_party is off limits.', 'You have my permission to change third_party.'),
  over('Never delete files.', 'Deleting files is allowed after all.'),
  over('Ask me before you add a dependency.', "You don't have to ask me about dependencies any more."),
  over('Ask me before you delete anything.', 'No need to ask before deleting.'),
  over('Check with me before you change the schema.', 'The schema is yours, change it as you like.'),
  over('Do not run the tests without asking.', 'You may run the tests on your own.'),
  over('Never use npm.', 'npm is fine again.'),
  over('Avoid default exports.', 'Default exports are okay now.'),
  over('No emojis in commit messages, please.', 'Emojis are welcome again.'),
  over('Do not refactor anything.', 'Refactoring is allowed again.'),
  over('Never touch the billing module.', 'We decided that billing can be changed.'),
  // Withdrawals.
  over('Always answer in French.', 'Forget what I said about French.'),
  over('Always use tabs.', 'Ignore the rule about tabs.'),
  over('Never touch the lock file.', 'The lock file rule no longer applies.'),
  over('Do not add dependencies.', 'I take that back.'),
  over('Always write docstrings.', "Scratch that, docstrings aren't needed."),
  over('Never use default exports.', 'I have changed my mind about default exports.'),
  over('Do not deploy on Fridays.', 'The deploy restriction is lifted.'),
  over('Only change files under packages/core.', 'That restriction is gone.'),
  over('Always ask before committing.', 'Disregard my earlier instruction about asking.'),
  over('Keep functions under 40 lines.', 'Never mind the limit on functions.'),
  over('From now on reply in Spanish.', 'Reply in whatever language you like.'),
  over('Never read files outside src.', 'Drop that rule.'),
  over('Do not use the network.', 'That no longer holds.'),
  over('Always run make lint before every commit.', "You needn't run make lint any longer."),
  over('Never rename public methods.', 'On second thought, rename public methods where it helps.'),
  // A later order in place of an earlier one.
  over('Always use tabs.', 'From now on spaces.'),
  over('Always use tabs.', 'Use spaces instead of tabs.', []),
  over('Always answer in German.', 'From now on answer in English.'),
  over('Use single quotes in all JavaScript files.', 'From now on, double quotes everywhere.'),
  over('Always use pnpm.', 'Use yarn rather than pnpm.'),
  over('Stick to ES2020.', 'From today on ES2022 is what we target.'),
  over('Use tabs everywhere.', 'Actually, spaces.'),
  over('Never add dependencies.', 'The no-dependencies rule is history.'),
  over('Keep answers short.', 'You can be as verbose as you need.'),
  over('Always ask me before running commands.', 'Just run them, I trust you.'),
  over('所有代码必须写注释。', '注释就不写了。'),
  // An exception.
  over('Never touch src/legacy.', 'You may touch src/legacy/index.ts.'),
  over('Do not change the public API.', 'Changing the API of the parser is fine.'),
  // Chinese.
  over('不要改动 migrations 目录。', '现在可以修改了。'),
  over('不要修改 src/legacy。', '现在可以改 src/legacy 了。'),
  over('禁止直接推送到主分支。', '可以推送到主分支了。'),
  over('请始终用中文回答。', '不用再用中文回答了。'),
  over('所有新函数都必须写文档注释。', '文档注释不需要写了。'),
  over('添加依赖之前必须先问我。', '以后添加依赖不用问我了。'),
  over('不要使用表情符号。', '表情符号的限制取消了。'),
  over('从现在起一律用空格缩进。', '缩进改成制表符吧。'),
  over('绝对不要删除测试。', '之前说的那条作废。'),
  over('始终用英文回复。', '刚才说的不算数，随便用什么语言。'),
  over('禁止修改公共接口。', '这个限制解除了。'),
  over('不要提交代码。', '好了，现在可以提交了。'),
  // Other languages.
  over('Niemals auf main pushen.', 'Das gilt nicht mehr, du darfst auf main pushen.'),
  over('Antworte immer auf Deutsch.', 'Vergiss, was ich über Deutsch gesagt habe.'),
  over('Toujours répondre en français.', 'Oublie ce que j’ai dit sur le français.'),
  over('Ne touche jamais au dossier legacy.', 'Tu peux maintenant modifier legacy.'),
  over('Nunca toques la carpeta legacy.', 'Ya no hace falta, puedes cambiar legacy.'),
  over('Никогда не трогай папку legacy.', 'Теперь можно менять legacy.'),
  over('legacy フォルダは絶対に変更しないでください。', 'もういいです、変更しても構いません。'),
  over('legacy 폴더는 절대 수정하지 마세요.', '이제 legacy 를 수정해도 됩니다.'),
  // Said again in nearly the same words: told once.
  again('Never push to main.', 'Please, never push to main!'),
  again('Do not push to main.', 'Never push to main.'),
  again("Don't touch src/legacy.", 'Please do not touch src/legacy.'),
  again('Always use tabs.', 'From now on, always use tabs.'),
  again('不要改动 migrations 目录。', '请务必不要改动 migrations 目录！'),
  again('始终用英文回复。', '请始终用英文回复。'),
  // Different things that only look alike.
  both('Never push to main.', 'Never push to main without running the tests.'),
  both('Use tabs, never spaces, in Go files.', 'Use spaces, never tabs, in Python files.'),
  both('Never touch module 1 of the billing code.', 'Never touch module 2 of the billing code.'),
  both('不要改动 migrations 目录。', '不要改动 fixtures 目录。'),
  both('Always answer in English.', 'Never push to main.', '不要使用表情符号。'),
  // Given again after it was taken back: it holds.
  {
    says: ['Never push to main.', 'You may push to main now.', 'Never push to main!'],
    hold: ['Never push to main!'],
    over: [],
  },
  {
    says: ['Always answer in French.', 'Forget what I said about French.', 'Always answer in French, please.'],
    hold: ['Always answer in French, please.'],
    over: [],
  },
  // Others hold while one is taken back.
  over('Never push to main.', 'You can push to main now.', ['Always answer in English.', 'Never touch src/legacy.']),
  {
    says: ['Never touch src/legacy. Always use tabs.', 'Fix it.', 'Forget what I said about tabs.', 'Go on.'],
    hold: ['Never touch src/legacy.'],
    over: [['Always use tabs.', 'Forget what I said about tabs.']],
  },
  // Taken back in the same message, and in two sentences.
  {
    says: ['Never push to main. Well, forget that: you may push to main.'],
    hold: [],
    over: [['Never push to main.', 'Well, forget that: you may push to main.']],
  },
  {
    says: ['Do not edit the docs.', 'That is over. You can edit the docs.'],
    hold: [],
    over: [['Do not edit the docs.', 'You can edit the docs.']],
  },
];
