/**
 * Outputs of failed commands in the forms of the usual runners of tests, compilers and shells, each with what a reader
 * would keep of it. Many hold lines that only speak of errors: passed tests, names of files, logs, counts.
 */

export interface FailedRun {
  readonly runner: string;
  readonly about: string;
  readonly command: string;
  /** As it comes from the terminal, colours included. */
  readonly output: string;
  /** All of these stand in the kept line. */
  readonly keeps: readonly string[];
}

const ESC = '\u001B';
const red = (text: string) => `${ESC}[31m${text}${ESC}[39m`;
const green = (text: string) => `${ESC}[32m${text}${ESC}[39m`;
const dim = (text: string) => `${ESC}[2m${text}${ESC}[22m`;
const bold = (text: string) => `${ESC}[1m${text}${ESC}[22m`;

const many = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

/** As a tool shortens a long output: the middle is left out. */
const cut = (output: string, from: number, to: number) =>
  `${output.slice(0, from)}\n[… ${output.length - from - to} characters left out …]\n${output.slice(-to)}`;

const vitest: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an assertion, beside passed tests that speak of errors',
    output: `
 RUN  v3.2.4 /home/me/shop

 ✓ src/error.test.ts (3 tests) 4ms
 ❯ src/cart.test.ts (3 tests | 1 failed) 9ms
   ✓ Cart > handles error 1ms
   × Cart > adds the prices 5ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > Cart > adds the prices
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/cart.test.ts:12:24
     10|   it('adds the prices', () => {
     11|     const cart = new Cart([1, 2]);
     12|     expect(cart.total()).toBe(4);
       |                        ^
     13|   });

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 5 passed (6)
   Start at  10:12:31
   Duration  812ms (transform 60ms, setup 0ms, collect 90ms, tests 13ms, environment 0ms, prepare 120ms)
`,
    keeps: ['expected 3 to be 4', 'src/cart.test.ts'],
  },
  {
    about: 'what a passed test wrote comes first',
    output: `
 RUN  v3.2.4 /home/me/shop

stderr | src/log.test.ts > logs the error
Error: boom, and it is handled
    at /home/me/shop/src/log.test.ts:8:13

 ✓ src/log.test.ts (1 test) 3ms
 ❯ src/cart.test.ts (1 test | 1 failed) 7ms
   × reads an empty cart 6ms
     → Cannot read properties of undefined (reading 'price')

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > reads an empty cart
TypeError: Cannot read properties of undefined (reading 'price')
 ❯ Cart.first src/cart.ts:21:31
     19|   first() {
     20|     // An error here is not caught.
     21|     return this.items[0].price;
       |                               ^
     22|   }
 ❯ src/cart.test.ts:6:17

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 1 passed (2)
`,
    keeps: ["Cannot read properties of undefined (reading 'price')", 'src/cart.ts:21:31'],
  },
  {
    about: 'with colours',
    output: `
 ${red('❯')} src/cart.test.ts ${dim('(')}${dim('2 tests')}${dim(' | ')}${red('1 failed')}${dim(')')}
   ${green('✓')} fails without an error ${dim('2ms')}
   ${red(`${ESC}[31m×${ESC}[31m total of nothing`)} ${dim('3ms')}
     ${red('→ expected null to deeply equal +0')}

${ESC}[41m${bold(' FAIL ')}${ESC}[49m src/cart.test.ts${dim(' > ')}total of nothing
${red(`${bold('AssertionError')}: expected null to deeply equal +0`)}
${ESC}[36m ${ESC}[2m❯${ESC}[22m src/cart.test.ts:${dim('30:21')}${ESC}[39m

${dim(' Test Files ')} ${red('1 failed')}${dim(' (1)')}
`,
    keeps: ['expected null to deeply equal +0'],
  },
  {
    about: 'a suite that could not be loaded',
    output: `
 FAIL  src/error.test.ts [ src/error.test.ts ]
Error: Failed to resolve import "./missing.js" from "src/error.test.ts". Does the file exist?
  Plugin: vite:import-analysis
  File: /home/me/shop/src/error.test.ts:2:22
 ❯ TransformPluginContext._formatLog node_modules/vite/dist/node/chunks/dep-Bj7gA1-0.js:31120:43

 Test Files  1 failed (1)
      Tests  no tests
`,
    keeps: ['Failed to resolve import "./missing.js"'],
  },
  {
    about: 'a long run, cut in the middle',
    output: cut(
      `
 RUN  v3.2.4 /home/me/shop

${many(200, (i) => `   ✓ part ${i} > reports error ${i} without failing 1ms`)}
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/tax.test.ts > rounds half to even
AssertionError: expected 12.34 to be 12.35 // Object.is equality
 ❯ src/tax.test.ts:44:29

 Test Files  1 failed | 20 passed (21)
      Tests  1 failed | 200 passed (201)
`,
      600,
      420,
    ),
    keeps: ['expected 12.34 to be 12.35', 'src/tax.test.ts:44:29'],
  },
];

const jest: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an assertion, beside a passed file that is named after errors',
    output: `PASS src/error.test.ts
FAIL src/cart.test.ts
  Cart
    ✓ handles error (2 ms)
    ✕ adds the prices (3 ms)

  ● Cart › adds the prices

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      10 |   it('adds the prices', () => {
      11 |     const cart = new Cart([1, 2]);
    > 12 |     expect(cart.total()).toBe(4);
         |                          ^
      13 |   });

      at Object.toBe (src/cart.test.ts:12:26)
      at processTicksAndRejections (node:internal/process/task_queues:95:5)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 4 passed, 5 total
Snapshots:   0 total
Time:        1.204 s
Ran all test suites.
`,
    keeps: ['Expected: 4', 'Received: 3', 'src/cart.test.ts:12:26'],
  },
  {
    about: 'what a passed test wrote comes first',
    output: `  console.error
    Error: boom, and it is handled
        at Object.<anonymous> (src/log.test.ts:8:13)

      6 | it('logs the error', () => {
    > 8 |   log(new Error('boom, and it is handled'));

PASS src/log.test.ts
FAIL src/api.test.ts
  ● rejects a wrong token

    TypeError: response.json is not a function

      14 |   const response = await get('/me');
    > 15 |   const body = await response.json();
         |                               ^

      at Object.json (src/api.test.ts:15:31)

Test Suites: 1 failed, 1 passed, 2 total
`,
    keeps: ['TypeError: response.json is not a function', 'src/api.test.ts:15:31'],
  },
  {
    about: 'a suite that could not be run',
    output: `FAIL src/error.test.ts
  ● Test suite failed to run

    Cannot find module './money' from 'src/cart.ts'

    Require stack:
      src/cart.ts
      src/error.test.ts

      > 1 | import { round } from './money';
          | ^

      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/index.js:863:11)
      at Object.<anonymous> (src/cart.ts:1:1)

Test Suites: 1 failed, 1 total
Tests:       0 total
`,
    keeps: ["Cannot find module './money' from 'src/cart.ts'"],
  },
  {
    about: 'with colours and a difference of objects',
    output: `${ESC}[0m${ESC}[7m${ESC}[1m${ESC}[31m FAIL ${ESC}[39m${ESC}[22m${ESC}[27m${ESC}[0m ${dim('src/')}${bold('cart.test.ts')}
  ${red('✕')} ${dim('copies a cart (4 ms)')}

  ${red(bold('● copies a cart'))}

    ${dim('expect(')}${red('received')}${dim(').')}toEqual${dim('(')}${green('expected')}${dim(') // deep equality')}

    ${green('- Expected  - 1')}
    ${red('+ Received  + 1')}

${dim('      Object {')}
    ${green('-   "currency": "EUR",')}
    ${red('+   "currency": "USD",')}
${dim('      }')}

      ${dim('at Object.toEqual (')}src/cart.test.ts${dim(':31:22)')}
`,
    keeps: ['toEqual', '"currency": "EUR"', '"currency": "USD"', 'src/cart.test.ts:31:22'],
  },
];

const mocha: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an assertion, beside passed tests that speak of errors',
    output: `

  Cart
    ✔ handles error
    ✔ throws TypeError: on a wrong price
    1) adds the prices


  2 passing (11ms)
  1 failing

  1) Cart
       adds the prices:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

      + expected - actual

      -3
      +4

      at Context.<anonymous> (test/cart.spec.js:9:14)
      at process.processImmediate (node:internal/timers:483:21)
`,
    keeps: ['3 !== 4', 'test/cart.spec.js:9:14'],
  },
  {
    about: 'a promise that was rejected',
    output: `
  Api
    ✓ reports an error: not found
    1) logs in

  1 passing (2s)
  1 failing

  1) Api
       logs in:
     Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/me/shop/test/api.spec.js)
      at listOnTimeout (node:internal/timers:581:17)
      at process.processTimers (node:internal/timers:519:7)
`,
    keeps: ['Timeout of 2000ms exceeded'],
  },
  {
    about: 'the dots, with colours',
    output: `

  ${dim('․')}${dim('․')}${red('!')}${dim('․')}

  ${green('3 passing')}${dim(' (8ms)')}
  ${red('1 failing')}

  1) Money rounds:
     ${red('RangeError: digits must be between 0 and 100')}
      ${dim('at round (lib/money.js:4:9)')}
      ${dim('at Context.<anonymous> (test/money.spec.js:6:12)')}
`,
    keeps: ['RangeError: digits must be between 0 and 100', 'lib/money.js:4:9'],
  },
];

const pytest: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an assertion, beside passed tests that are named after errors',
    output: `============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.3, pluggy-1.5.0 -- /usr/bin/python3
collected 4 items

tests/test_error.py::test_error_is_raised PASSED                         [ 25%]
tests/test_error.py::test_no_failure PASSED                              [ 50%]
tests/test_cart.py::test_handles_error PASSED                            [ 75%]
tests/test_cart.py::test_total FAILED                                    [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
        cart = Cart([1, 2])
>       assert cart.total() == 4
E       assert 3 == 4
E        +  where 3 = total()
E        +    where total = <shop.cart.Cart object at 0x7f1b>.total

tests/test_cart.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 3 passed in 0.06s ==========================
`,
    keeps: ['assert 3 == 4', 'tests/test_cart.py:12'],
  },
  {
    about: 'an exception in the code under test, with a log of errors',
    output: `F.                                                                       [100%]
=================================== FAILURES ===================================
_______________________________ test_reads_price _______________________________

    def test_reads_price():
>       assert price_of({}) == 3

tests/test_price.py:6:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

item = {}

    def price_of(item):
>       return item['price']
E       KeyError: 'price'

shop/price.py:2: KeyError
------------------------------ Captured log call -------------------------------
ERROR    shop.log:log.py:9 this error was logged before
=========================== short test summary info ============================
FAILED tests/test_price.py::test_reads_price - KeyError: 'price'
1 failed, 1 passed in 0.04s
`,
    keeps: ["KeyError: 'price'", 'shop/price.py:2'],
  },
  {
    about: 'a file that could not be collected',
    output: `==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_error.py _____________________
ImportError while importing test module '/home/me/shop/tests/test_error.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.12/importlib/__init__.py:90: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_error.py:1: in <module>
    from shop.money import roundd
E   ImportError: cannot import name 'roundd' from 'shop.money' (/home/me/shop/shop/money.py)
=========================== short test summary info ============================
ERROR tests/test_error.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.09s
`,
    keeps: ["cannot import name 'roundd' from 'shop.money'"],
  },
  {
    about: 'only the summary is left',
    output: cut(
      `${many(300, (i) => `tests/test_error_${i}.py::test_failure_is_reported PASSED      [ ${i % 100}%]`)}
=================================== FAILURES ===================================
${many(60, (i) => `    line_${i} = compute(${i})`)}
=========================== short test summary info ============================
FAILED tests/test_tax.py::test_half - AssertionError: assert Decimal('2') == Decimal('3')
================== 1 failed, 300 passed, 2 warnings in 12.30s ==================
`,
      500,
      260,
    ),
    keeps: ["assert Decimal('2') == Decimal('3')", 'tests/test_tax.py'],
  },
  {
    about: 'with colours',
    output: `${red('F')}${green('.')}                                                    [100%]
=================================== FAILURES ===================================
${red(bold('____________________ test_name ____________________'))}

    ${ESC}[94mdef${ESC}[39;49;00m test_name():
>       ${ESC}[94massert${ESC}[39;49;00m name() == ${ESC}[33m"error"${ESC}[39;49;00m
${red(bold("E       AssertionError: assert 'eror' == 'error'"))}
${red(bold('E         - error'))}
${red(bold('E         + eror'))}

${red(bold('tests/test_name.py'))}:4: AssertionError
`,
    keeps: ["assert 'eror' == 'error'", 'tests/test_name.py:4'],
  },
];

const goTest: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'a failed test, beside packages that are named after errors',
    output: `ok  	example.com/shop/errors	0.004s
?   	example.com/shop/fail	[no test files]
--- FAIL: TestTotal (0.00s)
    cart_test.go:17: Total() = 3, want 4
FAIL
FAIL	example.com/shop/cart	0.003s
ok  	example.com/shop/error_log	(cached)
FAIL
`,
    keeps: ['cart_test.go:17', 'Total() = 3, want 4'],
  },
  {
    about: 'every test is named, the failed one after what it says',
    output: `=== RUN   TestErrorPath
    error_test.go:9: error path taken
--- PASS: TestErrorPath (0.00s)
=== RUN   TestRound
=== RUN   TestRound/half
    round_test.go:31: got 2, expected 3
=== RUN   TestRound/error_is_returned
--- FAIL: TestRound (0.00s)
    --- FAIL: TestRound/half (0.00s)
    --- PASS: TestRound/error_is_returned (0.00s)
FAIL
exit status 1
FAIL	example.com/shop/round	0.002s
`,
    keeps: ['round_test.go:31', 'got 2, expected 3'],
  },
  {
    about: 'it does not build',
    output: `# example.com/shop/cart [example.com/shop/cart.test]
cart/error_test.go:12:7: undefined: NewErr
cart/cart_test.go:20:15: cannot use "3" (untyped string constant) as int value in argument to add
FAIL	example.com/shop/cart [build failed]
ok  	example.com/shop/errors	(cached)
FAIL
`,
    keeps: ['cart/error_test.go:12:7', 'undefined: NewErr'],
  },
  {
    about: 'a panic',
    output: `--- FAIL: TestFirst (0.00s)
panic: runtime error: index out of range [0] with length 0 [recovered]
	panic: runtime error: index out of range [0] with length 0

goroutine 18 [running]:
testing.tRunner.func1.2({0x5115a0, 0xc0000162a0})
	/usr/local/go/src/testing/testing.go:1545 +0x238
example.com/shop/cart.(*Cart).First(...)
	/home/me/shop/cart/cart.go:14
example.com/shop/cart.TestFirst(0xc000084ea0)
	/home/me/shop/cart/cart_test.go:25 +0x1d
FAIL	example.com/shop/cart	0.006s
FAIL
`,
    keeps: ['index out of range [0] with length 0', 'cart/cart.go:14'],
  },
  {
    about: 'with a library of assertions',
    output: `--- FAIL: TestNames (0.00s)
    names_test.go:22:
        	Error Trace:	/home/me/shop/names_test.go:22
        	Error:      	Not equal:
        	            	expected: "fox"
        	            	actual  : "wolf"
        	Test:       	TestNames
FAIL
FAIL	example.com/shop	0.004s
`,
    keeps: ['names_test.go:22', 'Not equal', 'expected: "fox"', 'actual : "wolf"'],
  },
];

const cargoTest: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'a failed assertion, beside crates and tests that are named after errors',
    output: `   Compiling thiserror v1.0.63
   Compiling shop v0.1.0 (/home/me/shop)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.41s
     Running unittests src/lib.rs (target/debug/deps/shop-1f2e3d)

running 3 tests
test error::tests::formats_error ... ok
test tests::fails_on_empty ... ok
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----

thread 'tests::adds' panicked at src/lib.rs:31:9:
assertion \`left == right\` failed: sums differ
  left: 3
 right: 4
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace


failures:
    tests::adds

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass \`--lib\`
`,
    keeps: ['src/lib.rs:31:9', 'sums differ', 'left: 3', 'right: 4'],
  },
  {
    about: 'an older form of the panic',
    output: `running 1 test
test tests::reads ... FAILED

failures:

---- tests::reads stdout ----
thread 'tests::reads' panicked at 'called \`Result::unwrap()\` on an \`Err\` value: ParseIntError { kind: InvalidDigit }', src/parse.rs:8:40
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

failures:
    tests::reads

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass '--lib'
`,
    keeps: ['ParseIntError { kind: InvalidDigit }', 'src/parse.rs:8:40'],
  },
  {
    about: 'a test that returns an error',
    output: `---- tests::loads stdout ----
loading error table
Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }


failures:
    tests::loads

test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

error: test failed, to rerun pass \`--test errors\`
`,
    keeps: ['kind: NotFound'],
  },
];

const cargoBuild: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'types that do not match, after warnings',
    output: `   Compiling thiserror-impl v1.0.63
   Compiling shop v0.1.0 (/home/me/shop)
warning: unused variable: \`error\`
 --> src/error.rs:4:9
  |
4 |     let error = 1;
  |         ^^^^^ help: if this is intentional, prefix it with an underscore: \`_error\`
  |
  = note: \`#[warn(unused_variables)]\` on by default

error[E0308]: mismatched types
  --> src/cart.rs:18:5
   |
17 | fn total() -> u32 {
   |               --- expected \`u32\` because of return type
18 |     "3"
   |     ^^^ expected \`u32\`, found \`&str\`

For more information about this error, try \`rustc --explain E0308\`.
warning: \`shop\` (bin "shop") generated 1 warning
error: could not compile \`shop\` (bin "shop") due to 1 previous error; 1 warning emitted
`,
    keeps: ['error[E0308]: mismatched types', 'src/cart.rs:18:5'],
  },
  {
    about: 'with colours',
    output: `${bold(green('   Compiling'))} shop v0.1.0 (/home/me/shop)
${ESC}[0m${ESC}[1m${ESC}[38;5;9merror[E0425]${ESC}[0m${ESC}[0m${ESC}[1m: cannot find value \`erorr\` in this scope${ESC}[0m
${ESC}[0m ${ESC}[0m${ESC}[1m${ESC}[38;5;12m--> ${ESC}[0m${ESC}[0msrc/main.rs:5:20${ESC}[0m
${ESC}[1m${ESC}[31merror${ESC}[0m${ESC}[1m:${ESC}[0m could not compile \`shop\` (bin "shop") due to 1 previous error
`,
    keeps: ['cannot find value `erorr` in this scope', 'src/main.rs:5:20'],
  },
];

const tsc: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'plain',
    output: `src/cart.ts(18,5): error TS2322: Type 'string' is not assignable to type 'number'.
src/errors.ts(3,10): error TS2305: Module '"./error"' has no exported member 'fail'.
`,
    keeps: ['src/cart.ts(18,5)', "Type 'string' is not assignable to type 'number'"],
  },
  {
    about: 'pretty, with colours',
    output: `${ESC}[96msrc/errors/index.ts${ESC}[0m:${ESC}[93m3${ESC}[0m:${ESC}[93m10${ESC}[0m - ${ESC}[91merror${ESC}[0m${ESC}[90m TS2345: ${ESC}[0mArgument of type 'null' is not assignable to parameter of type 'Error'.

${ESC}[7m3${ESC}[0m   fail(null);
${ESC}[7m ${ESC}[0m ${ESC}[91m       ~~~~${ESC}[0m


Found 1 error in src/errors/index.ts${ESC}[90m:3${ESC}[0m
`,
    keeps: ['src/errors/index.ts:3:10', "Argument of type 'null' is not assignable to parameter of type 'Error'"],
  },
  {
    about: 'below a script of a package',
    output: `
> shop@1.0.0 typecheck
> tsc --noEmit -p error-reporter

error TS18003: No inputs were found in config file '/home/me/shop/error-reporter/tsconfig.json'. Specified 'include' paths were '["src"]' and 'exclude' paths were '[]'.
npm error Lifecycle script \`typecheck\` failed with error:
npm error code 2
npm error path /home/me/shop
npm error workspace shop@1.0.0
npm error command failed
npm error command sh -c tsc --noEmit -p error-reporter
`,
    keeps: ['No inputs were found in config file'],
  },
];

const eslint: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'the usual form, a warning first',
    output: `
/home/me/shop/src/error-handler.ts
  1:1  warning  Unexpected console statement  no-console

/home/me/shop/src/cart.ts
   4:10  warning  'log' is defined but never used           no-unused-vars
  18:5   error    'total' is never reassigned. Use 'const' instead  prefer-const

✖ 3 problems (1 error, 2 warnings)
  1 error and 0 warnings potentially fixable with the \`--fix\` option.

`,
    keeps: ['/home/me/shop/src/cart.ts:18:5', "'total' is never reassigned"],
  },
  {
    about: 'with colours',
    output: `
${ESC}[4m/home/me/shop/src/errors/index.js${ESC}[24m
  ${dim('9:3')}  ${red('error')}  Parsing error: Unexpected token }

${red(bold('✖ 1 problem (1 error, 0 warnings)'))}
`,
    keeps: ['/home/me/shop/src/errors/index.js:9:3', 'Unexpected token }'],
  },
  {
    about: 'it could not start',
    output: `
Oops! Something went wrong! :(

ESLint: 9.12.0

Error: Could not find config file.
    at assertConfigFileExists (/home/me/shop/node_modules/eslint/lib/eslint/eslint.js:580:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
`,
    keeps: ['Could not find config file.'],
  },
];

const gradle: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'a failed test, beside passed ones that speak of errors',
    output: `> Task :compileJava UP-TO-DATE
> Task :test

CartTest > handlesError() PASSED

CartTest > addsThePrices() FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//shop.CartTest.addsThePrices(CartTest.java:19)

ErrorTest > failsWithoutException() PASSED

3 tests completed, 1 failed

> Task :test FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///home/me/shop/build/reports/tests/test/index.html

* Try:
> Run with --scan to get full insights.

BUILD FAILED in 2s
3 actionable tasks: 1 executed, 2 up-to-date
`,
    keeps: ['expected: <4> but was: <3>', 'CartTest.java:19'],
  },
  {
    about: 'it does not compile',
    output: `> Task :compileJava FAILED
/home/me/shop/src/main/java/shop/ErrorLog.java:7: warning: [deprecation] stop() in Thread has been deprecated
/home/me/shop/src/main/java/shop/Cart.java:18: error: cannot find symbol
        return prices.sum();
                     ^
  symbol:   method sum()
  location: variable prices of type List<Integer>
1 error
1 warning

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.

BUILD FAILED in 841ms
`,
    keeps: ['Cart.java:18', 'cannot find symbol', 'method sum()'],
  },
  {
    about: 'its own file is wrong',
    output: `
FAILURE: Build failed with an exception.

* Where:
Build file '/home/me/shop/build.gradle' line: 12

* What went wrong:
Could not find method implementatoin() for arguments [error-prone:2.3] on object of type DefaultDependencyHandler.

* Try:
> Run with --stacktrace option to get the stack trace.

BUILD FAILED in 322ms
`,
    keeps: ['Could not find method implementatoin()'],
  },
  {
    about: 'Kotlin',
    output: `> Task :compileKotlin FAILED
w: file:///home/me/shop/src/main/kotlin/ErrorLog.kt:3:5 Variable 'error' is never used
e: file:///home/me/shop/src/main/kotlin/Cart.kt:9:16 Unresolved reference: totl

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileKotlin'.
> Compilation error. See log for more details

BUILD FAILED in 4s
`,
    keeps: ['Cart.kt:9:16', 'Unresolved reference: totl'],
  },
];

const dotnet: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'a failed test, beside passed ones that speak of errors',
    output: `  Determining projects to restore...
  All projects are up-to-date for restore.
  Shop -> /home/me/shop/bin/Debug/net8.0/Shop.dll
Test run for /home/me/shop/bin/Debug/net8.0/Shop.Tests.dll (.NETCoreApp,Version=v8.0)
A total of 1 test files matched the specified pattern.
  Passed Shop.Tests.CartTests.HandlesError [1 ms]
  Failed Shop.Tests.CartTests.AddsThePrices [5 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   3
  Stack Trace:
     at Shop.Tests.CartTests.AddsThePrices() in /home/me/shop/Tests/CartTests.cs:line 19
   at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments, Signature sig, Boolean isConstructor)

Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 20 ms - Shop.Tests.dll (net8.0)
`,
    keeps: ['Values differ', 'Expected: 4', 'Actual: 3', 'CartTests.cs:19'],
  },
  {
    about: 'it does not build',
    output: `  Determining projects to restore...
/home/me/shop/ErrorLog.cs(3,9): warning CS0168: The variable 'error' is declared but never used [/home/me/shop/Shop.csproj]
/home/me/shop/Cart.cs(18,16): error CS0103: The name 'totl' does not exist in the current context [/home/me/shop/Shop.csproj]

Build FAILED.

/home/me/shop/Cart.cs(18,16): error CS0103: The name 'totl' does not exist in the current context [/home/me/shop/Shop.csproj]
    1 Warning(s)
    1 Error(s)

Time Elapsed 00:00:02.31
`,
    keeps: ['Cart.cs(18,16)', "The name 'totl' does not exist in the current context"],
  },
  {
    about: 'an exception in a test',
    output: `[xUnit.net 00:00:00.42]     Shop.Tests.ErrorTests.Reads [FAIL]
  Failed Shop.Tests.ErrorTests.Reads [< 1 ms]
  Error Message:
   System.NullReferenceException : Object reference not set to an instance of an object.
  Stack Trace:
     at Shop.Cart.First() in /home/me/shop/Cart.cs:line 31
     at Shop.Tests.ErrorTests.Reads() in /home/me/shop/Tests/ErrorTests.cs:line 12

Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1, Duration: < 1 ms - Shop.Tests.dll (net8.0)
`,
    keeps: ['Object reference not set to an instance of an object', 'Cart.cs:31'],
  },
];

const rspec: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an expectation, beside examples that speak of errors',
    output: `
Cart
  returns an error: without prices
  raises ArgumentError: when negative
  adds the prices (FAILED - 1)

Failures:

  1) Cart adds the prices
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3

       (compared using ==)
     # ./spec/cart_spec.rb:12:in 'block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.07 seconds to load)
3 examples, 1 failure

Failed examples:

rspec ./spec/cart_spec.rb:10 # Cart adds the prices
`,
    keeps: ['expected: 4', 'got: 3', './spec/cart_spec.rb:12'],
  },
  {
    about: 'an exception, with colours',
    output: `${green('.')}${red('F')}

Failures:

  1) Price reads
     ${red("Failure/Error: raise ArgumentError, 'negative price'")}

     ${red('ArgumentError:')}
     ${red('  negative price')}
     ${ESC}[36m# ./lib/price.rb:4:in 'Price#read'${ESC}[0m
     ${ESC}[36m# ./spec/price_spec.rb:6:in 'block (2 levels) in <top (required)>'${ESC}[0m

Finished in 0.004 seconds (files took 0.06 seconds to load)
${red('2 examples, 1 failure')}
`,
    keeps: ['negative price', './lib/price.rb:4'],
  },
  {
    about: 'a file that could not be loaded',
    output: `
An error occurred while loading ./spec/error_spec.rb.
Failure/Error: require 'shop/money'

LoadError:
  cannot load such file -- shop/money
# ./spec/error_spec.rb:1:in '<top (required)>'

Finished in 0.00002 seconds (files took 0.05 seconds to load)
0 examples, 0 failures, 1 error occurred outside of examples
`,
    keeps: ['cannot load such file -- shop/money', './spec/error_spec.rb:1'],
  },
];

const phpunit: readonly Omit<FailedRun, 'runner' | 'command'>[] = [
  {
    about: 'an assertion',
    output: `PHPUnit 11.3.1 by Sebastian Bergmann and contributors.

Runtime:       PHP 8.3.11
Configuration: /home/me/shop/phpunit.xml

.F.                                                                 3 / 3 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 failure:

1) Shop\\Tests\\CartTest::testAddsThePrices
Failed asserting that 3 matches expected 4.

/home/me/shop/tests/CartTest.php:19

FAILURES!
Tests: 3, Assertions: 3, Failures: 1.
`,
    keeps: ['Failed asserting that 3 matches expected 4.', '/home/me/shop/tests/CartTest.php:19'],
  },
  {
    about: 'an error, with names of tests that speak of errors',
    output: `Cart (Shop\\Tests\\Cart)
 ✔ Handles error
 ✘ Reads an empty cart
   │
   │ TypeError: Shop\\Cart::first(): Return value must be of type int, null returned
   │
   │ /home/me/shop/src/Cart.php:21
   │ /home/me/shop/tests/CartTest.php:31
   │

There was 1 error:

1) Shop\\Tests\\CartTest::testReadsAnEmptyCart
TypeError: Shop\\Cart::first(): Return value must be of type int, null returned

/home/me/shop/src/Cart.php:21
/home/me/shop/tests/CartTest.php:31

ERRORS!
Tests: 2, Assertions: 1, Errors: 1.
`,
    keeps: ['Return value must be of type int, null returned', '/home/me/shop/src/Cart.php:21'],
  },
  {
    about: 'with colours, and a message of its own',
    output: `${ESC}[41;37mFAILURES!${ESC}[0m

1) Shop\\Tests\\ErrorTest::testName
The name is wrong
Failed asserting that two strings are identical.
--- Expected
+++ Actual
@@ @@
-'fox'
+'wolf'

/home/me/shop/tests/ErrorTest.php:8

${ESC}[37;41mTests: 1${ESC}[0m${ESC}[37;41m, Assertions: 1${ESC}[0m${ESC}[37;41m, Failures: 1${ESC}[0m${ESC}[37;41m.${ESC}[0m
`,
    keeps: ['Failed asserting that two strings are identical.', '/home/me/shop/tests/ErrorTest.php:8'],
  },
];

const others: readonly (Omit<FailedRun, 'runner'> & { readonly runner?: string })[] = [
  {
    about: 'a traceback of Python',
    command: 'python run.py',
    output: `loading errors.json
Traceback (most recent call last):
  File "/home/me/shop/run.py", line 12, in <module>
    main()
  File "/home/me/shop/shop/cart.py", line 7, in main
    return prices["fox"]
           ~~~~~~^^^^^^^
KeyError: 'fox'
`,
    keeps: ["KeyError: 'fox'", '/home/me/shop/shop/cart.py:7'],
  },
  {
    about: 'an assertion of Python without words',
    command: 'python check.py',
    output: `Traceback (most recent call last):
  File "/home/me/shop/check.py", line 3, in <module>
    assert total([1, 2]) == 4
AssertionError
`,
    keeps: ['AssertionError', 'assert total([1, 2]) == 4', '/home/me/shop/check.py:3'],
  },
  {
    about: 'unittest',
    command: 'python -m unittest',
    output: `.E
======================================================================
ERROR: test_error (tests.test_cart.CartTest.test_error)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/me/shop/tests/test_cart.py", line 9, in test_error
    Cart().first()
  File "/home/me/shop/shop/cart.py", line 4, in first
    return self.items[0]
IndexError: list index out of range

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (errors=1)
`,
    keeps: ['IndexError: list index out of range', 'shop/cart.py:4'],
  },
  {
    about: 'a stack trace of Node',
    command: 'node server.js',
    output: `[info] error handler registered
/home/me/shop/server.js:8
    throw new TypeError('port must be a number');
    ^

TypeError: port must be a number
    at listen (/home/me/shop/server.js:8:11)
    at Object.<anonymous> (/home/me/shop/server.js:12:1)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v22.14.0
`,
    keeps: ['TypeError: port must be a number', '/home/me/shop/server.js:8:11'],
  },
  {
    about: 'the test runner of Node',
    command: 'node --test',
    output: `✔ handles error (0.9ms)
✖ adds the prices (1.4ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at test/cart.test.js:6:1
✖ adds the prices (1.4ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4

      at TestContext.<anonymous> (/home/me/shop/test/cart.test.js:7:10)
      at Test.runInAsyncScope (node:async_hooks:211:14) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 3,
    expected: 4,
  }
`,
    keeps: ['3 !== 4', 'test/cart.test.js:7:10'],
  },
  {
    about: 'make, below a compiler of C',
    command: 'make',
    output: `gcc -Wall -c error.c -o error.o
error.c: In function 'report':
error.c:4:9: warning: unused variable 'failed' [-Wunused-variable]
gcc -Wall -c cart.c -o cart.o
cart.c: In function 'total':
cart.c:9:12: error: 'sum' undeclared (first use in this function)
    9 |     return sum;
      |            ^~~
make: *** [Makefile:6: cart.o] Error 1
`,
    keeps: ['cart.c:9:12', "'sum' undeclared"],
  },
  {
    about: 'make has no rule',
    command: 'make errors',
    output: "make: *** No rule to make target 'errors'.  Stop.\n",
    keeps: ["No rule to make target 'errors'"],
  },
  {
    about: 'a linker',
    command: 'make all',
    output: `/usr/bin/ld: main.o: in function \`main':
main.c:(.text+0x9): undefined reference to \`report_error'
collect2: error: ld returned 1 exit status
make: *** [Makefile:3: shop] Error 1
`,
    keeps: ["undefined reference to `report_error'"],
  },
  {
    about: 'a command that is not there',
    command: 'cd web && pnpm build',
    output: 'bash: line 1: pnpm: command not found\n',
    keeps: ['pnpm: command not found'],
  },
  {
    about: 'git',
    command: 'git switch errors',
    output: `hint: If you meant to check out a remote tracking branch, use --guess
fatal: invalid reference: errors
`,
    keeps: ['fatal: invalid reference: errors'],
  },
  {
    about: 'git, a merge',
    command: 'git merge topic',
    output: `Auto-merging src/errors.ts
Auto-merging src/cart.ts
CONFLICT (content): Merge conflict in src/cart.ts
Automatic merge failed; fix conflicts and then commit the result.
`,
    keeps: ['Merge conflict in src/cart.ts'],
  },
  {
    about: 'git, a push',
    command: 'git push',
    output: `To github.com:me/errors.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to 'github.com:me/errors.git'
hint: Updates were rejected because the remote contains work that you do not have locally.
`,
    keeps: ['failed to push some refs'],
  },
  {
    about: 'npm cannot find a package',
    command: 'npm install',
    output: `npm warn deprecated error-ex@1.0.0: no longer supported
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/shoop - Not found
npm error 404  'shoop@^1.0.0' is not in this registry.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`,
    keeps: ['404 Not Found - GET https://registry.npmjs.org/shoop'],
  },
  {
    about: 'a script of a package that is not there',
    command: 'npm run biuld',
    output: `npm error Missing script: "biuld"
npm error
npm error To see a list of scripts, run:
npm error   npm run
`,
    keeps: ['Missing script: "biuld"'],
  },
  {
    about: 'a log, its error in the middle',
    command: './deploy.sh',
    output: `2026-01-01 10:00:00,120 INFO  shop.Deploy - error reporting is on
2026-01-01 10:00:01,020 DEBUG shop.Deploy - 0 errors so far
2026-01-01 10:00:02,511 ERROR shop.Deploy - bucket shop-eu is not writable
2026-01-01 10:00:02,512 INFO  shop.Deploy - finished with failed=true
`,
    keeps: ['bucket shop-eu is not writable'],
  },
  {
    about: 'a check of its own',
    command: 'sh tools/check.sh 3',
    output: `> check --suite meter-903

  ok 2 folds the window of a ledger in 12.1 ms
FAIL  suite/invoice.spec.ts
  Error: GHOST-4982 at the digest of the packet
    at mergeBatch (lib/cursor.ts:210:11)

${many(30, (i) => `  ok ${i} schedules the error of a parcel in 3.${i} ms`)}
311 passed, 1 failed
exit code 1
`,
    keeps: ['GHOST-4982 at the digest of the packet', 'lib/cursor.ts:210:11'],
  },
  {
    about: 'bun, which names the test last',
    command: 'bun test',
    output: `bun test v1.2.2 (c1708ea6)

test/cart.test.ts:
(pass) handles error [0.11ms]
7 | test('adds the prices', () => {
8 |   expect(total([1, 2])).toBe(4);
                            ^
error: expect(received).toBe(expected)

Expected: 4
Received: 3

      at <anonymous> (/home/me/shop/test/cart.test.ts:8:25)
(fail) adds the prices [0.50ms]

 1 pass
 1 fail
 2 expect() calls
Ran 2 tests across 1 file. [21.00ms]
`,
    keeps: ['Expected: 4', 'Received: 3', 'test/cart.test.ts:8:25'],
  },
  {
    about: 'maven',
    command: 'mvn -q test',
    output: `[INFO] Running shop.ErrorTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.03 s <<< FAILURE! -- in shop.CartTest
[ERROR] shop.CartTest.addsThePrices -- Time elapsed: 0.004 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
	at shop.CartTest.addsThePrices(CartTest.java:19)
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop: There are test failures.
[ERROR] -> [Help 1]
`,
    keeps: ['expected: <4> but was: <3>', 'CartTest.java:19'],
  },
  {
    about: 'ruff',
    command: 'ruff check .',
    output: `shop/errors.py:3:8: F401 [*] \`os\` imported but unused
Found 1 error.
[*] 1 fixable with the \`--fix\` option.
`,
    keeps: ['shop/errors.py:3:8', '`os` imported but unused'],
  },
  {
    about: 'mypy',
    command: 'mypy shop',
    output: `shop/errors.py:3: note: See https://mypy.readthedocs.io
shop/cart.py:9: error: Incompatible return value type (got "str", expected "int")  [return-value]
Found 1 error in 1 file (checked 4 source files)
`,
    keeps: ['shop/cart.py:9', 'Incompatible return value type'],
  },
  {
    about: 'docker',
    command: 'docker build .',
    output: `#9 0.412 added 12 packages, 0 errors
#10 [5/5] RUN npm run build
#10 2.114 src/cart.ts(18,5): error TS2322: Type 'string' is not assignable to type 'number'.
#10 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2
------
ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2
`,
    keeps: ["Type 'string' is not assignable to type 'number'"],
  },
];

/** Further forms: a name, an output, and what is kept of it. */
const FURTHER: readonly (readonly [about: string, output: string, keeps: readonly string[]])[] = [
  [
    'vitest proj',
    `
 ❯ |unit| src/a.test.ts (2 tests | 1 failed) 12ms
   ✓ error is fine 1ms
   × waits 5004ms
     → Test timed out in 5000ms.
If this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".

 FAIL  |unit| src/a.test.ts > waits
Error: Test timed out in 5000ms.
If this is a long-running test, pass a timeout
 ❯ src/a.test.ts:7:3
`,
    ['Test timed out in 5000ms', 'src/a.test.ts:7:3'],
  ],
  [
    'vitest unhandled',
    `
 ✓ src/error.test.ts (3 tests) 4ms

⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

Vitest caught 1 unhandled error during the test run.
This might cause false positive tests. Resolve unhandled errors to make sure your tests are not affected.

⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: connect ECONNREFUSED 127.0.0.1:5432
 ❯ TCPConnectWrap.afterConnect [as oncomplete] node:net:1636:16

 Test Files  1 passed (1)
      Tests  3 passed (3)
     Errors  1 error
`,
    ['ECONNREFUSED 127.0.0.1:5432'],
  ],
  [
    'vitest snapshot',
    `
 FAIL  src/a.test.ts > renders
Error: Snapshot \`renders 1\` mismatched

- Expected
+ Received

- <b>fox</b>
+ <b>wolf</b>

 ❯ src/a.test.ts:5:19

  Snapshots  1 failed
`,
    ['Snapshot `renders 1` mismatched', 'src/a.test.ts:5:19'],
  ],
  [
    'jest timeout',
    `FAIL src/a.test.ts (6.1 s)
  ✓ logs error
  ✕ waits (5002 ms)

  ● waits

    thrown: "Exceeded timeout of 5000 ms for a test.
    Add a timeout value to this test to increase the timeout, if this is a long-running test."

      3 | 
    > 4 | test('waits', (done) => {});
        | ^

      at Object.test (src/a.test.ts:4:1)
`,
    ['Exceeded timeout of 5000 ms', 'src/a.test.ts:4:1'],
  ],
  [
    'jest calls',
    `FAIL src/a.test.ts
  ● saves

    expect(jest.fn()).toHaveBeenCalledTimes(expected)

    Expected number of calls: 2
    Received number of calls: 1

      at Object.<anonymous> (src/a.test.ts:9:18)
`,
    ['toHaveBeenCalledTimes', 'Expected number of calls: 2', 'Received number of calls: 1'],
  ],
  [
    'jest custom',
    `FAIL src/error.test.ts
  ✕ x

  ● x

    the fox has no den

      1 | function f() {
    > 2 |   throw new DenProblem();
        |         ^

      at f (src/den.ts:2:9)
`,
    ['the fox has no den', 'src/den.ts:2:9'],
  ],
  [
    'mocha hook',
    `
  Cart
    ✔ error
    1) "before each" hook for "adds"

  1 passing (4ms)
  1 failing

  1) Cart
       "before each" hook for "adds":
     ReferenceError: cart is not defined
      at Context.<anonymous> (test/cart.js:4:5)
`,
    ['ReferenceError: cart is not defined', 'test/cart.js:4:5'],
  ],
  [
    'pytest short',
    `F
=================================== FAILURES ===================================
__________________________________ test_total __________________________________
tests/test_cart.py:12: in test_total
    assert cart.total() == 4
E   assert 3 == 4
E    +  where 3 = total()
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
`,
    ['assert 3 == 4', 'tests/test_cart.py:12'],
  ],
  [
    'pytest fixture',
    `E
==================================== ERRORS ====================================
_______________________ ERROR at setup of test_reads ________________________
file /home/me/shop/tests/test_db.py, line 4
  def test_reads(db):
E       fixture 'db' not found
>       available fixtures: cache, capfd, capsys
>       use 'pytest --fixtures [testpath]' for help on them.

/home/me/shop/tests/test_db.py:4
=========================== short test summary info ============================
ERROR tests/test_db.py::test_reads
`,
    ["fixture 'db' not found", 'tests/test_db.py:4'],
  ],
  [
    'pytest usage',
    `ERROR: file or directory not found: tests/test_errors.py

no tests ran in 0.00s
`,
    ['file or directory not found: tests/test_errors.py'],
  ],
  [
    'pytest line',
    `F.F
=================================== FAILURES ===================================
/home/me/shop/tests/test_cart.py:12: AssertionError: assert 3 == 4
`,
    ['assert 3 == 4', 'tests/test_cart.py:12'],
  ],
  [
    'go vet',
    `# example.com/shop
# [example.com/shop]
./error.go:12:3: fmt.Printf format %d has arg name of wrong type string
`,
    ['./error.go:12:3', 'wrong type string'],
  ],
  [
    'go race',
    `==================
WARNING: DATA RACE
Read at 0x00c0000 by goroutine 8:
  example.com/shop.Count()
      /home/me/shop/count.go:9 +0x3a
==================
--- FAIL: TestCount (0.00s)
    testing.go:1398: race detected during execution of test
FAIL
FAIL	example.com/shop	0.02s
`,
    ['race detected during execution of test'],
  ],
  [
    'go timeout',
    `panic: test timed out after 30s
	running tests:
		TestWaits (30s)

goroutine 17 [running]:
testing.(*M).startAlarm.func1()
	/usr/local/go/src/testing/testing.go:2366 +0x385
FAIL	example.com/shop	30.01s
FAIL
`,
    ['test timed out after 30s'],
  ],
  [
    'go mod',
    `go: example.com/errors@v1.2.3: reading https://proxy/errors/@v/v1.2.3.mod: 404 Not Found
`,
    ['404 Not Found'],
  ],
  [
    'go fatal log',
    `=== RUN   TestA
2026/01/01 10:00:00 error count is 0
--- FAIL: TestA (0.00s)
    a_test.go:9: boom: no den
FAIL
`,
    ['a_test.go:9: boom: no den'],
  ],
  [
    'cargo doc',
    `   Doc-tests shop

running 2 tests
test src/error.rs - fails (line 3) ... ok
test src/lib.rs - add (line 5) ... FAILED

failures:

---- src/lib.rs - add (line 5) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' panicked at src/lib.rs:7:1:
no den for the fox
note: run with \`RUST_BACKTRACE=1\`

failures:
    src/lib.rs - add (line 5)

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.2s

error: doctest failed, to rerun pass \`--doc\`
`,
    ['no den for the fox', 'src/lib.rs:7:1'],
  ],
  [
    'cargo assert msg',
    `---- tests::a stdout ----

thread 'tests::a' (41213) panicked at src/lib.rs:31:9:
assertion failed: cart.is_empty()
note: run with
`,
    ['assertion failed: cart.is_empty()', 'src/lib.rs:31:9'],
  ],
  [
    'cargo target',
    `error: no test target named \`errors\` in default-run packages
`,
    ['no test target named `errors`'],
  ],
  [
    'cargo import',
    `error[E0432]: unresolved import \`crate::errors\`
 --> src/main.rs:3:12
  |
3 | use crate::errors;
  |     ^^^^^^^^^^^^^ no \`errors\` in the root

error: could not compile \`shop\` (bin "shop") due to 1 previous error
`,
    ['unresolved import', 'src/main.rs:3:12'],
  ],
  [
    'eslint compact',
    `/home/me/src/a.js: line 3, col 5, Error - 'x' is not defined. (no-undef)

1 problem
`,
    ["'x' is not defined", 'a.js'],
  ],
  [
    'eslint rel',
    `src/errors/cart.js
  3:5  error  'x' is not defined  no-undef

✖ 1 problem (1 error, 0 warnings)
`,
    ['src/errors/cart.js:3:5', "'x' is not defined"],
  ],
  [
    'gradle dep',
    `
FAILURE: Build failed with an exception.

* What went wrong:
Could not resolve all files for configuration ':compileClasspath'.
> Could not find com.fox:den:1.0.
  Searched in the following locations:

BUILD FAILED in 1s
`,
    ['Could not'],
  ],
  [
    'gradle short',
    `> Task :test FAILED

CartTest > adds() FAILED
    java.lang.AssertionError at CartTest.java:19

2 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///x
`,
    ['AssertionError', 'CartTest.java:19'],
  ],
  [
    'gradle groovy',
    `CartSpec > adds FAILED
    Condition not satisfied:

    cart.total() == 4
    |    |       |
    |    3       false
        at CartSpec.adds(CartSpec.groovy:12)
`,
    ['Condition not satisfied', 'cart.total() == 4'],
  ],
  [
    'mstest',
    `  Failed AddsPrices [12 ms]
  Error Message:
   Assert.AreEqual failed. Expected:<4>. Actual:<3>. 
  Stack Trace:
     at Shop.Tests.Cart.AddsPrices() in C:\\shop\\Cart.cs:line 19

Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1, Duration: 40 ms - Shop.Tests.dll (net8.0)
`,
    ['Expected:<4>. Actual:<3>', 'Cart.cs:19'],
  ],
  [
    'nunit',
    `  Failed Adds [12 ms]
  Error Message:
     Expected: 4
  But was:  3

  Stack Trace:
     at Shop.Tests.Cart.Adds() in /home/me/Cart.cs:line 19
`,
    ['Expected: 4', 'But was: 3'],
  ],
  [
    'nuget',
    `  Determining projects to restore...
/home/me/Shop.csproj : error NU1101: Unable to find package Errors.Fox. No packages exist with this id in source(s): nuget.org
  Failed to restore /home/me/Shop.csproj (in 1.2 sec).
`,
    ['NU1101', 'Unable to find package Errors.Fox'],
  ],
  [
    'msbuild',
    `MSBUILD : error MSB1003: Specify a project or solution file.
`,
    ['Specify a project or solution file'],
  ],
  [
    'rspec nomethod',
    `F

Failures:

  1) Cart error reads
     Failure/Error: cart.totl

     NoMethodError:
       undefined method \`totl' for an instance of Cart
     # ./spec/cart_spec.rb:6:in \`block'

Finished in 0.003 seconds
1 example, 1 failure
`,
    ["undefined method `totl'", './spec/cart_spec.rb:6'],
  ],
  [
    'rspec include',
    `  1) Cart names
     Failure/Error: expect(names).to include("fox")
       expected ["wolf"] to include "fox"
     # ./spec/cart_spec.rb:6:in \`block'
`,
    ['expected ["wolf"] to include "fox"'],
  ],
  [
    'php fatal',
    `PHP Fatal error:  Uncaught Error: Class "Shop\\Den" not found in /home/me/shop/run.php:3
Stack trace:
#0 {main}
  thrown in /home/me/shop/run.php on line 3
`,
    ['Class "Shop\\Den" not found', 'run.php:3'],
  ],
  [
    'php parse',
    `PHP Parse error:  syntax error, unexpected token ";", expecting ")" in /home/me/shop/Error.php on line 12
`,
    ['unexpected token ";"', 'Error.php'],
  ],
  [
    'phpunit 9',
    `PHPUnit 9.6.20

..E

There was 1 error:

1) CartTest::testReads
Undefined array key "price"

/home/me/shop/src/Cart.php:9
/home/me/shop/tests/CartTest.php:12

ERRORS!
Tests: 3, Assertions: 2, Errors: 1.
`,
    ['Undefined array key "price"', 'src/Cart.php:9'],
  ],
  [
    'phpunit exc',
    `There was 1 error:

1) CartTest::testReads
RuntimeException: no den for the fox

/home/me/shop/src/Cart.php:9
`,
    ['RuntimeException: no den for the fox', 'src/Cart.php:9'],
  ],
  [
    'java',
    `Exception in thread "main" java.lang.IllegalStateException: no den for the fox
	at shop.Main.main(Main.java:7)
`,
    ['no den for the fox', 'Main.java:7'],
  ],
  [
    'java caused',
    `[main] INFO error handler ready
java.lang.RuntimeException: java.io.IOException: no den
	at shop.Main.run(Main.java:12)
Caused by: java.io.IOException: no den
	... 3 more
`,
    ['java.io.IOException: no den', 'Main.java:12'],
  ],
  [
    'ruby',
    `run.rb:3:in \`first': undefined method \`[]' for nil (NoMethodError)
	from run.rb:7:in \`<main>'
`,
    ["undefined method `[]' for nil", 'run.rb:3'],
  ],
  [
    'terraform',
    `╷
│ Error: Reference to undeclared resource
│ 
│   on main.tf line 4, in output "x":
│    4:   value = aws_s3.x
╵
`,
    ['Reference to undeclared resource'],
  ],
  [
    'cmake',
    `CMake Error at CMakeLists.txt:4 (find_package):
  By not providing "FindFox.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file

-- Configuring incomplete, errors occurred!
`,
    ['FindFox.cmake', 'CMakeLists.txt:4'],
  ],
  [
    'swift',
    `/home/me/a.swift:3:5: error: cannot find 'fox' in scope
    fox()
    ^~~
`,
    ["cannot find 'fox' in scope", 'a.swift:3:5'],
  ],
  [
    'webpack',
    `ERROR in ./src/index.js 3:0-24
Module not found: Error: Can't resolve './errors' in '/home/me/src'

webpack 5.90.0 compiled with 1 error in 300 ms
`,
    ["Can't resolve './errors'"],
  ],
  [
    'vite',
    `error during build:
src/main.ts (3:9): "fox" is not exported by "src/errors.ts", imported by "src/main.ts".
file: /home/me/src/main.ts:3:9
`,
    ['"fox" is not exported by "src/errors.ts"'],
  ],
  [
    'npm eresolve',
    `npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error
npm error While resolving: shop@1.0.0
npm error Found: react@19.0.0
`,
    ['unable to resolve dependency tree'],
  ],
  [
    'pip',
    `ERROR: Could not find a version that satisfies the requirement foxx (from versions: none)
ERROR: No matching distribution found for foxx
`,
    ['Could not find a version'],
  ],
  [
    'segv',
    `./run.sh: line 3: 12345 Segmentation fault      (core dumped) ./fox
`,
    ['Segmentation fault'],
  ],
  [
    'oom',
    `Killed
`,
    ['Killed'],
  ],
  [
    'sql',
    `psql:schema.sql:4: ERROR:  relation "foxes" does not exist
LINE 1: select * from foxes
`,
    ['relation "foxes" does not exist'],
  ],
  [
    'yarn',
    `$ tsc
src/a.ts:3:5 - error TS2304: Cannot find name 'fox'.

3     fox();
      ~~~

Found 1 error in src/a.ts:3

error Command failed with exit code 2.
info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.
`,
    ["Cannot find name 'fox'"],
  ],
  [
    'turbo',
    `web:test: > vitest run
web:test: 
web:test:  FAIL  src/a.test.ts > adds
web:test: AssertionError: expected 1 to be 2 // Object.is equality
web:test:  ❯ src/a.test.ts:4:15
`,
    ['expected 1 to be 2'],
  ],
  [
    'tap',
    `TAP version 13
ok 1 - handles error
not ok 2 - adds
  ---
  duration_ms: 1.2
  location: '/home/me/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    3 !== 4
    
  code: 'ERR_ASSERTION'
  ...
1..2
# tests 2
# pass 1
# fail 1
`,
    ['3 !== 4'],
  ],
  [
    'playwright',
    `Running 2 tests using 1 worker
  ✓  1 error.spec.ts:3:1 › shows error (1.2s)
  ✘  2 cart.spec.ts:5:1 › adds (5.0s)

  1) cart.spec.ts:5:1 › adds ─────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator: locator('.total')
    Expected: "4"
    Received: "3"

      6 |   await expect(page.locator('.total')).toHaveText('4');

        at /home/me/cart.spec.ts:6:40

  1 failed
    cart.spec.ts:5:1 › adds
  1 passed (7.0s)
`,
    ['toHaveText', 'Expected: "4"', 'Received: "3"'],
  ],
  [
    'deno',
    `error: Uncaught (in promise) TypeError: fox is not a function
    at file:///home/me/run.ts:3:5
`,
    ['fox is not a function', 'run.ts:3:5'],
  ],
  [
    'gotestsum',
    `=== Failed
=== FAIL: cart TestTotal (0.00s)
    cart_test.go:17: Total() = 3, want 4

DONE 4 tests, 1 failure in 0.3s
`,
    ['cart_test.go:17: Total() = 3, want 4'],
  ],
  [
    'test log passing stdout',
    `running 2 tests
test logs ... ok
test adds ... FAILED

successes:

---- logs stdout ----
Error: this is only logged

failures:

---- adds stdout ----

thread 'adds' panicked at tests/a.rs:3:5:
assertion \`left == right\` failed
  left: 1
 right: 2
`,
    ['left: 1', 'tests/a.rs:3:5'],
  ],
  [
    'ssh',
    `ssh: connect to host fox port 22: Connection refused
`,
    ['Connection refused'],
  ],
  [
    'powershell',
    `Get-Item: Cannot find path 'C:\\fox' because it does not exist.
`,
    ["Cannot find path 'C:\\fox'"],
  ],
  [
    'cmdexe',
    `'pnpm' is not recognized as an internal or external command,
operable program or batch file.
`,
    ["'pnpm' is not recognized"],
  ],
  [
    'minitest',
    `Run options: --seed 1

# Running:

.F

Failure:
CartTest#test_total [test/cart_test.rb:9]:
Expected: 4
  Actual: 3

2 runs, 2 assertions, 1 failures, 0 errors, 0 skips
`,
    ['Expected: 4', 'Actual: 3'],
  ],
  [
    'elixir',
    `  1) test adds (CartTest)
     test/cart_test.exs:5
     Assertion with == failed
     code:  assert total() == 4
     left:  3
     right: 4
     stacktrace:
       test/cart_test.exs:6: (test)

3 tests, 1 failure
`,
    ['Assertion with == failed', 'left: 3'],
  ],
];

const named = (runner: string, command: string, runs: readonly Omit<FailedRun, 'runner' | 'command'>[]): FailedRun[] =>
  runs.map((run) => ({ runner, command, ...run }));

export const FAILED_RUNS: readonly FailedRun[] = [
  ...named('vitest', 'npx vitest run', vitest),
  ...named('jest', 'npx jest', jest),
  ...named('mocha', 'npx mocha', mocha),
  ...named('pytest', 'pytest', pytest),
  ...named('go test', 'go test ./...', goTest),
  ...named('cargo test', 'cargo test', cargoTest),
  ...named('cargo build', 'cargo build', cargoBuild),
  ...named('tsc', 'npx tsc --noEmit', tsc),
  ...named('eslint', 'npx eslint .', eslint),
  ...named('gradle', './gradlew test', gradle),
  ...named('dotnet', 'dotnet test', dotnet),
  ...named('rspec', 'bundle exec rspec', rspec),
  ...named('phpunit', 'vendor/bin/phpunit', phpunit),
  ...others.map((run) => ({ runner: 'others', ...run })),
  ...FURTHER.map(([about, output, keeps]) => ({ runner: 'further forms', about, command: 'make x', output, keeps })),
];
