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
  [
    'vitest 4: a snapshot, beside a passing suite named after errors',
    `
 RUN  v4.0.6 /home/me/shop

 ✓ src/errors/retryError.spec.ts (8 tests) 12ms
 ❯ src/view/price.spec.ts (2 tests | 1 failed) 19ms
     ✓ shows an error banner when the price fails to load 3ms
     × renders the price 9ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/view/price.spec.ts > renders the price
Error: Snapshot \`renders the price 1\` mismatched

- Expected
+ Received

- <b>€ 4.00</b>
+ <b>4.00 €</b>

 ❯ src/view/price.spec.ts:18:20
     16|     const html = render(4);
     17|     // throws an error if the price is negative
     18|     expect(html).toMatchSnapshot();
       |                  ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

  Snapshots  1 failed
 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 9 passed (10)
`,
    ['Snapshot `renders the price 1` mismatched', 'src/view/price.spec.ts:18:20'],
  ],
  [
    'vitest: an unhandled rejection makes a green run fail',
    `
 ✓ src/queue.spec.ts (4 tests) 31ms

⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

Vitest caught 1 unhandled error during the test run.
This might cause false positive tests. Resolve unhandled errors to make sure your tests are not affected.

⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
RangeError: queue is closed
 ❯ Queue.push src/queue.ts:33:11
     31|   push(job: Job) {
 ❯ src/queue.spec.ts:21:9

This error originated in "src/queue.spec.ts" test file. It doesn't mean the error was thrown inside the file itself, but while it was running.
The latest test that might've caused the error is "drains". It might mean one of the following:
- The error was thrown, while Vitest was running this test.
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯

 Test Files  1 passed (1)
      Tests  4 passed (4)
     Errors  1 error
`,
    ['RangeError: queue is closed', 'src/queue.ts:33:11'],
  ],
  [
    'jest 30: a timeout, below what a passed test logged',
    `PASS src/error/format.test.js
  ● Console

    console.error
      Error: formatted as expected
          at format (/home/me/app/src/error/format.js:3:9)

FAIL src/poll.test.js (5.61 s)
  poll
    ✓ reports an error after three tries (4 ms)
    ✕ ends when told (5003 ms)

  ● poll › ends when told

    thrown: "Exceeded timeout of 5000 ms for a test.
    Add a timeout value to this test to increase the timeout, if this is a long-running test."

      11 | });
      12 |
    > 13 | it('ends when told', async () => {
         | ^
      14 |   await poll();
      15 | });

      at Object.it (src/poll.test.js:13:1)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 3 passed, 4 total
`,
    ['Exceeded timeout of 5000 ms', 'src/poll.test.js:13:1'],
  ],
  [
    'pytest -q with warnings',
    `..F.                                                                     [100%]
=================================== FAILURES ===================================
____________________________ test_error_rate_is_low ____________________________

    def test_error_rate_is_low():
        stats = collect()
>       assert stats.errors / stats.total < 0.01
E       ZeroDivisionError: division by zero

tests/test_stats.py:14: ZeroDivisionError
=============================== warnings summary ===============================
tests/test_stats.py::test_old
  /home/me/app/stats.py:3: DeprecationWarning: errors() will fail in 4.0
    return errors()

-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html
=========================== short test summary info ============================
FAILED tests/test_stats.py::test_error_rate_is_low - ZeroDivisionError: division by zero
1 failed, 3 passed, 1 warning in 0.05s
`,
    ['division by zero', 'tests/test_stats.py:14'],
  ],
  [
    'pytest: a fixture that is missing',
    `============================= test session starts ==============================
collected 2 items

tests/test_db.py E.                                                      [100%]

==================================== ERRORS ====================================
________________________ ERROR at setup of test_insert _________________________
file /home/me/app/tests/test_db.py, line 5
  def test_insert(database):
E       fixture 'database' not found
>       available fixtures: cache, capfd, monkeypatch, tmp_path
>       use 'pytest --fixtures [testpath]' for help on them.

/home/me/app/tests/test_db.py:5
=========================== short test summary info ============================
ERROR tests/test_db.py::test_insert
========================= 1 passed, 1 error in 0.03s ==========================
`,
    ["fixture 'database' not found", 'test_db.py:5'],
  ],
  [
    'go test -json',
    `{"Time":"2026-03-01T10:00:00Z","Action":"start","Package":"example.com/shop/errors"}
{"Time":"2026-03-01T10:00:00Z","Action":"run","Package":"example.com/shop/errors","Test":"TestError"}
{"Time":"2026-03-01T10:00:00Z","Action":"output","Package":"example.com/shop/errors","Test":"TestError","Output":"--- PASS: TestError (0.00s)\\n"}
{"Time":"2026-03-01T10:00:00Z","Action":"pass","Package":"example.com/shop/errors","Elapsed":0.01}
{"Time":"2026-03-01T10:00:01Z","Action":"run","Package":"example.com/shop/cart","Test":"TestTotal"}
{"Time":"2026-03-01T10:00:01Z","Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"=== RUN   TestTotal\\n"}
{"Time":"2026-03-01T10:00:01Z","Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"    cart_test.go:19: Total() = 3, want 4\\n"}
{"Time":"2026-03-01T10:00:01Z","Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"--- FAIL: TestTotal (0.00s)\\n"}
{"Time":"2026-03-01T10:00:01Z","Action":"fail","Package":"example.com/shop/cart","Test":"TestTotal","Elapsed":0}
{"Time":"2026-03-01T10:00:01Z","Action":"output","Package":"example.com/shop/cart","Output":"FAIL\\n"}
{"Time":"2026-03-01T10:00:01Z","Action":"fail","Package":"example.com/shop/cart","Elapsed":0.02}
`,
    ['Total() = 3, want 4', 'cart_test.go:19'],
  ],
  [
    'cargo nextest',
    `    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.31s
────────────
 Nextest run ID 6f2a with nextest profile: default
    Starting 3 tests across 2 binaries
        PASS [   0.004s] shop error::tests::displays_error
        PASS [   0.004s] shop error::tests::fails_on_empty
        FAIL [   0.006s] shop cart::tests::adds
  stdout ───

    running 1 test
    test cart::tests::adds ... FAILED

    failures:

    failures:
        cart::tests::adds

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s

  stderr ───

    thread 'cart::tests::adds' (4711) panicked at src/cart.rs:41:9:
    assertion \`left == right\` failed: the total is wrong
      left: 3
     right: 4
    note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

────────────
     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 0 skipped
        FAIL [   0.006s] shop cart::tests::adds
error: test run failed
`,
    ['the total is wrong', 'src/cart.rs:41:9', 'left: 3'],
  ],
  [
    'tsc --pretty',
    `\u001b[96msrc/cart.ts\u001b[0m:\u001b[93m12\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType 'string' is not assignable to type 'number'.

\u001b[7m12\u001b[0m       total: 'error',
\u001b[7m  \u001b[0m \u001b[91m      ~~~~~\u001b[0m

  \u001b[96msrc/errors.ts\u001b[0m:\u001b[93m3\u001b[0m:\u001b[93m3\u001b[0m
    \u001b[7m3\u001b[0m   total: number;
    \u001b[7m \u001b[0m   \u001b[96m~~~~~\u001b[0m
    The expected type comes from property 'total' which is declared here on type 'Failure'


Found 1 error in src/cart.ts\u001b[90m:12\u001b[0m
`,
    ["TS2322: Type 'string' is not assignable to type 'number'.", 'src/cart.ts:12:7'],
  ],
  [
    'eslint -f unix',
    `/home/me/app/src/error.js:1:1: File has a warning only. [Warning/no-console]
/home/me/app/src/cart.js:8:15: 'total' is assigned a value but never used. [Error/no-unused-vars]

2 problems
`,
    ["'total' is assigned a value but never used", 'src/cart.js:8:15'],
  ],
  [
    'eslint stylish after warnings',
    `
/home/me/app/src/error.js
  3:5  warning  Unexpected console statement  no-console

/home/me/app/src/tax.js
   9:1  warning  Missing JSDoc comment        require-jsdoc
  14:9  error    Unreachable code             no-unreachable

✖ 3 problems (1 error, 2 warnings)
`,
    ['Unreachable code', 'src/tax.js:14:9'],
  ],
  [
    'gradle: a task without its input',
    `> Task :app:compileKotlin
w: file:///home/me/app/src/main/kotlin/Error.kt:3:5 Variable 'failed' is never used
e: file:///home/me/app/src/main/kotlin/Cart.kt:17:20 Unresolved reference 'totl'.

> Task :app:compileKotlin FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileKotlin'.
> A failure occurred while executing org.jetbrains.kotlin.compilerRunner.GradleCompilerRunnerWithWorkers$GradleKotlinCompilerWorkAction
   > Compilation error. See log for more details

* Try:
> Run with --stacktrace option to get the stack trace.

BUILD FAILED in 4s
2 actionable tasks: 1 executed, 1 up-to-date
`,
    ["Unresolved reference 'totl'", 'Cart.kt:17:20'],
  ],
  [
    'maven: a dependency',
    `[INFO] Scanning for projects...
[INFO] Building error-reports 1.4
[WARNING] The POM for com.acme:failures:jar:2 is deprecated
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal on project error-reports: Could not resolve dependencies for project com.acme:error-reports:jar:1.4: com.acme:tax:jar:9.1 was not found in https://repo.example.com -> [Help 1]
[ERROR] 
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] Re-run Maven using the -X switch to enable full debug logging.
`,
    ['com.acme:tax:jar:9.1 was not found'],
  ],
  [
    'maven surefire',
    `[INFO] Running com.acme.ErrorTest
[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.04 s -- in com.acme.ErrorTest
[INFO] Running com.acme.CartTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.acme.CartTest
[ERROR] com.acme.CartTest.total -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at com.acme.CartTest.total(CartTest.java:21)

[INFO] Results:
[ERROR] Failures: 
[ERROR]   CartTest.total:21 expected: <4> but was: <3>
[ERROR] Tests run: 6, Failures: 1, Errors: 0, Skipped: 0
`,
    ['expected: <4> but was: <3>'],
  ],
  [
    'dotnet build',
    `  Determining projects to restore...
  All projects are up-to-date for restore.
/home/me/app/Errors.cs(4,18): warning CS0168: The variable 'error' is declared but never used [/home/me/app/App.csproj]
/home/me/app/Cart.cs(31,16): error CS0103: The name 'totl' does not exist in the current context [/home/me/app/App.csproj]

Build FAILED.

/home/me/app/Cart.cs(31,16): error CS0103: The name 'totl' does not exist in the current context [/home/me/app/App.csproj]
    1 Warning(s)
    1 Error(s)

Time Elapsed 00:00:03.41
`,
    ["The name 'totl' does not exist", 'Cart.cs(31,16)'],
  ],
  [
    'rspec with a pending one',
    `...*F

Pending: (Failures listed here are expected and do not affect your suite's status)

  1) Errors are sent by mail
     # Not yet implemented
     # ./spec/errors_spec.rb:9

Failures:

  1) Cart#total adds the prices
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3

       (compared using ==)
     # ./spec/cart_spec.rb:12:in \`block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.08 seconds to load)
5 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/cart_spec.rb:11 # Cart#total adds the prices
`,
    ['expect(cart.total).to eq(4)', 'got: 3', 'spec/cart_spec.rb:12'],
  ],
  [
    'phpunit: an error, not a failure',
    `PHPUnit 12.1.0 by Sebastian Bergmann and contributors.

Runtime:       PHP 8.4.2

..E.                                                                4 / 4 (100%)

Time: 00:00.011, Memory: 8.00 MB

There was 1 error:

1) App\\Tests\\CartTest::testErrorIsShown
TypeError: App\\Cart::add(): Argument #1 ($price) must be of type int, string given, called in /home/me/app/tests/CartTest.php on line 14

/home/me/app/src/Cart.php:9
/home/me/app/tests/CartTest.php:14

ERRORS!
Tests: 4, Assertions: 3, Errors: 1.
`,
    ['Argument #1 ($price) must be of type int, string given'],
  ],
  [
    'swift build',
    `Building for debugging...
[1/4] Write swift-version.txt
/home/me/app/Sources/App/Errors.swift:3:9: warning: variable 'error' was never mutated; consider changing to 'let' constant
/home/me/app/Sources/App/Cart.swift:12:22: error: cannot convert value of type 'String' to expected argument type 'Int'
10 | 
11 |     func total() {
12 |         add(prices: "error")
   |                     \`- error: cannot convert value of type 'String' to expected argument type 'Int'
[3/4] Compiling App Cart.swift
error: fatalError
`,
    ["cannot convert value of type 'String' to expected argument type 'Int'", 'Cart.swift:12:22'],
  ],
  [
    'swift test with XCTest',
    `Test Suite 'ErrorTests' started at 2026-03-01 10:00:00.000
Test Case 'ErrorTests.testFailure' passed (0.001 seconds)
Test Case 'CartTests.testTotal' started at 2026-03-01 10:00:00.100
/home/me/app/Tests/AppTests/CartTests.swift:9: error: CartTests.testTotal : XCTAssertEqual failed: ("3") is not equal to ("4") - sum
Test Case 'CartTests.testTotal' failed (0.002 seconds)
Test Suite 'CartTests' failed at 2026-03-01 10:00:00.110
	 Executed 1 test, with 1 failure (0 unexpected) in 0.002 (0.002) seconds
`,
    ['XCTAssertEqual failed: ("3") is not equal to ("4")', 'CartTests.swift:9'],
  ],
  [
    'zig build test',
    `test
+- run test 3/4 passed, 1 failed
error: 'cart.test.total' failed: expected 4, found 3
/usr/lib/zig/std/testing.zig:105:17: 0x103c4a1 in expectEqualInner__anon_1 (test)
                return error.TestExpectedEqual;
                ^
/home/me/app/src/cart.zig:22:5: 0x103c5d2 in test.total (test)
    try std.testing.expectEqual(4, total());
    ^
error: while executing test 'errors.test.fails', the following test command failed:
Build Summary: 1/3 steps succeeded; 1 failed; 3/4 tests passed; 1 failed
test transitive failure
`,
    ['expected 4, found 3', 'src/cart.zig:22:5'],
  ],
  [
    'zig: a compile error',
    `src/main.zig:8:11: error: use of undeclared identifier 'totl'
    _ = try totl(error.Failed);
            ^~~~
referenced by:
    callMain [inlined]: /usr/lib/zig/std/start.zig:627:37
    remaining reference traces hidden; use '-freference-trace' to see all reference traces
`,
    ["use of undeclared identifier 'totl'", 'src/main.zig:8:11'],
  ],
  [
    'mix compile',
    `Compiling 3 files (.ex)
    warning: variable "error" is unused (if the variable is not meant to be used, prefix it with an underscore)
    │
 12 │     error = fetch()
    │     ~~~~~
    │
    └─ lib/shop/errors.ex:12:5: Shop.Errors.all/0

    error: undefined function totl/1 (expected Shop.Cart to define such a function or for it to be imported, but none are available)
    │
 30 │     totl(cart)
    │     ^^^^
    │
    └─ lib/shop/cart.ex:30:5: Shop.Cart.total/1

== Compilation error in file lib/shop/cart.ex ==
** (CompileError) lib/shop/cart.ex: cannot compile module Shop.Cart (errors have been logged)
`,
    ['undefined function totl/1', 'lib/shop/cart.ex:30:5'],
  ],
  [
    'mix test: an exception',
    `Running ExUnit with seed: 1, max_cases: 8

...

  1) test total raises no error (Shop.CartTest)
     test/shop/cart_test.exs:8
     ** (KeyError) key :price not found in: %{name: "fox"}
     code: assert Cart.total(cart) == 4
     stacktrace:
       (shop 0.1.0) lib/shop/cart.ex:11: anonymous fn/2 in Shop.Cart.total/1
       test/shop/cart_test.exs:9: (test)


Finished in 0.03 seconds (0.03s async, 0.00s sync)
4 tests, 1 failure
`,
    ['key :price not found', 'lib/shop/cart.ex:11'],
  ],
  [
    'minitest: an error',
    `Run options: --seed 4711

# Running:

..E.

Finished in 0.001s, 4000 runs/s.

  1) Error:
CartTest#test_no_error:
NoMethodError: undefined method 'price' for nil
    lib/cart.rb:7:in 'Cart#total'
    test/cart_test.rb:12:in 'CartTest#test_no_error'

4 runs, 3 assertions, 0 failures, 1 errors, 0 skips
`,
    ["undefined method 'price' for nil", 'lib/cart.rb:7'],
  ],
  [
    'bazel',
    `INFO: Analyzed target //shop:errors_test (12 packages loaded, 300 targets configured).
INFO: Found 1 target...
ERROR: /home/me/shop/BUILD.bazel:4:11: Compiling cart.cc failed: (Exit 1): gcc failed: error executing CppCompile command (from target //shop:cart) /usr/bin/gcc -U_FORTIFY_SOURCE -fstack-protector -Wall ... (remaining 24 arguments skipped)
cart.cc: In function 'int total()':
cart.cc:7:10: error: 'totl' was not declared in this scope; did you mean 'total'?
    7 |   return totl();
      |          ^~~~
Target //shop:cart failed to build
Use --verbose_failures to see the command lines of failed build steps.
INFO: Elapsed time: 1.204s, Critical Path: 0.31s
ERROR: Build did NOT complete successfully
`,
    ["'totl' was not declared in this scope", 'cart.cc:7:10'],
  ],
  [
    'make: no rule',
    `cc -Wall -c -o errors.o errors.c
errors.c:3:7: warning: unused variable 'error' [-Wunused-variable]
make: *** No rule to make target 'tax.c', needed by 'tax.o'.  Stop.
`,
    ["No rule to make target 'tax.c'"],
  ],
  [
    'cmake: a package',
    `-- The C compiler identification is GNU 13.2.0
-- Check for working C compiler: /usr/bin/cc - skipped
-- Looking for error.h - found
-- Performing Test HAVE_ERROR_AT_LINE - Failed
CMake Error at CMakeLists.txt:12 (find_package):
  By not providing "FindFox.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Fox", but
  CMake did not find one.

-- Configuring incomplete, errors occurred!
`,
    ['FindFox.cmake', 'CMakeLists.txt:12'],
  ],
  [
    'ninja: the linker',
    `[1/3] Building CXX object CMakeFiles/app.dir/error.cpp.o
[2/3] Building CXX object CMakeFiles/app.dir/main.cpp.o
[3/3] Linking CXX executable app
FAILED: app 
: && /usr/bin/c++ -g CMakeFiles/app.dir/main.cpp.o CMakeFiles/app.dir/error.cpp.o -o app && :
/usr/bin/ld: CMakeFiles/app.dir/main.cpp.o: in function \`main':
/home/me/app/main.cpp:6:(.text+0x9): undefined reference to \`total(int)'
collect2: error: ld returned 1 exit status
ninja: build stopped: subcommand failed.
`,
    ["undefined reference to `total(int)'"],
  ],
  [
    'terraform plan',
    `data.aws_region.current: Reading...
data.aws_region.current: Read complete after 0s [id=eu-central-1]
╷
│ Warning: Argument is deprecated
│ 
│   with aws_s3_bucket.errors,
│   on errors.tf line 3, in resource "aws_s3_bucket" "errors":
│    3:   acl = "private"
╵
╷
│ Error: Reference to undeclared input variable
│ 
│   on main.tf line 14, in resource "aws_instance" "shop":
│   14:   ami = var.image
│ 
│ An input variable with the name "image" has not been declared. This variable can be declared with a variable "image" {} block.
╵
`,
    ['Reference to undeclared input variable', 'main.tf:14'],
  ],
  [
    'docker build',
    `#0 building with "default" instance using docker driver
#1 [internal] load build definition from Dockerfile
#1 DONE 0.0s
#7 [4/5] COPY errors ./errors
#7 DONE 0.1s
#8 [5/5] RUN npm run build
#8 0.412 > shop@1.0.0 build
#8 0.412 > node build.js --on-error=stop
#8 0.633 Error: ENOENT: no such file or directory, open 'tax.json'
#8 0.633     at Object.openSync (node:fs:561:18)
#8 0.633     at Object.<anonymous> (/app/build.js:4:12)
#8 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 1
------
 > [5/5] RUN npm run build:
0.633 Error: ENOENT: no such file or directory, open 'tax.json'
------
Dockerfile:9
--------------------
   8 |     COPY errors ./errors
   9 | >>> RUN npm run build
--------------------
ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 1
`,
    ["ENOENT: no such file or directory, open 'tax.json'"],
  ],
  [
    'kubectl apply',
    `namespace/errors unchanged
configmap/error-pages configured
Warning: spec.template.spec.containers[0].env[1]: hides previous definition of "ON_ERROR"
The Deployment "shop" is invalid: spec.template.spec.containers[0].image: Required value
`,
    ['The Deployment "shop" is invalid: spec.template.spec.containers[0].image: Required value'],
  ],
  [
    'helm',
    `I0301 10:00:00.000000   12 warnings.go:70] unknown field "spec.onError"
Error: INSTALLATION FAILED: execution error at (shop/templates/deploy.yaml:22:18): image.tag is required
`,
    ['image.tag is required'],
  ],
  [
    'psql',
    `CREATE TABLE
NOTICE:  relation "errors" already exists, skipping
INSERT 0 3
psql:seed.sql:14: ERROR:  null value in column "price" of relation "items" violates not-null constraint
DETAIL:  Failing row contains (4, fox, null).
`,
    ['null value in column "price" of relation "items" violates not-null constraint', 'seed.sql:14'],
  ],
  [
    'a Java stack trace with a cause',
    `10:00:00.001 [main] INFO  com.acme.ErrorHandler - registered 3 error handlers
10:00:00.410 [main] WARN  com.acme.Pool - retry after failure 1
Exception in thread "main" com.acme.StartException: could not start shop
	at com.acme.Shop.start(Shop.java:31)
	at com.acme.Main.main(Main.java:9)
Caused by: java.net.BindException: Address already in use
	at java.base/sun.nio.ch.Net.bind0(Native Method)
	at com.acme.Server.open(Server.java:18)
	... 1 more
`,
    ['could not start shop', 'Shop.java:31'],
  ],
  [
    'node: an unhandled rejection',
    `(node:4711) [DEP0040] DeprecationWarning: The \`punycode\` module is deprecated. Please use a userland alternative instead.
(Use \`node --trace-deprecation ...\` to show where the warning was created)
error handler installed
node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "no price for fox".] {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v22.11.0
`,
    ['no price for fox'],
  ],
  [
    'node: a module that is missing',
    `node:internal/modules/package_json_reader:268
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'fox' imported from /home/me/app/src/errors.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:268:9)
    at packageResolve (node:internal/modules/esm/resolve:768:81) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.1.0
`,
    ["Cannot find package 'fox'"],
  ],
  [
    'powershell 5',
    `Loading errors.psm1
WARNING: Failed logins are not counted
Get-Content : Cannot find path 'C:\\shop\\tax.json' because it does not exist.
At C:\\shop\\build.ps1:12 char:9
+ $tax = Get-Content tax.json
+        ~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : ObjectNotFound: (C:\\shop\\tax.json:String) [Get-Content], ItemNotFoundException
    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand
`,
    ["Cannot find path 'C:\\shop\\tax.json'", 'build.ps1:12'],
  ],
  [
    'powershell 7',
    `\u001b[33;1mWARNING: error reporting is off\u001b[0m
\u001b[31;1mParserError: \u001b[0m/home/me/build.ps1:7
\u001b[31;1m\u001b[36;1mLine |\u001b[0m
\u001b[36;1m   7 | \u001b[0m if ($errors \u001b[36;1m{\u001b[0m
     | \u001b[31;1m             ~\u001b[0m
\u001b[31;1m     | \u001b[31;1mMissing closing ')' after expression in 'if' statement.\u001b[0m
`,
    ["Missing closing ')' after expression in 'if' statement.", 'build.ps1:7'],
  ],
  [
    'playwright',
    `Running 3 tests using 1 worker

  ✓  1 tests/error.spec.ts:3:1 › shows an error page (410ms)
  ✘  2 tests/cart.spec.ts:8:1 › adds a fox (5.4s)
  ✓  3 tests/cart.spec.ts:20:1 › fails without a network (200ms)

  1) tests/cart.spec.ts:8:1 › adds a fox ───────────────────────────────────────

    Error: expect(locator).toHaveText(expected) failed

    Locator:  getByRole('status')
    Expected: "1 fox"
    Received: "0 foxes"
    Timeout:  5000ms

    Call log:
      - Expect "toHaveText" with timeout 5000ms
      - waiting for getByRole('status')
        9 × locator resolved to <output role="status">0 foxes</output>

      10 |   await page.getByText('Add').click();
    > 11 |   await expect(page.getByRole('status')).toHaveText('1 fox');
         |                                          ^

        at /home/me/shop/tests/cart.spec.ts:11:42

  1 failed
    tests/cart.spec.ts:8:1 › adds a fox ────────────────────────────────────────
  2 passed (6.9s)
`,
    ['toHaveText(expected) failed', 'Received: "0 foxes"'],
  ],
  [
    'ruff',
    `src/errors.py:1:8: F401 [*] \`os\` imported but unused
src/cart.py:9:12: F821 Undefined name \`totl\`
Found 2 errors.
[*] 1 fixable with the \`--fix\` option.
`,
    ['`os` imported but unused', 'src/errors.py:1:8'],
  ],
  [
    'mypy',
    `src/errors.py:3: note: By default the bodies of untyped functions are not checked, consider using --check-untyped-defs  [annotation-unchecked]
src/cart.py:12: error: Argument 1 to "add" has incompatible type "str"; expected "int"  [arg-type]
Found 1 error in 1 file (checked 8 source files)
`,
    ['Argument 1 to "add" has incompatible type "str"', 'src/cart.py:12'],
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
