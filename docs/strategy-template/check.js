// @ts-check
import { assertConforms } from 'palimpsest-api/conformance';
import { keepTests } from './strategy.js';

assertConforms(keepTests, { cases: 200, settings: { longest: 200 } }).then(console.log);
