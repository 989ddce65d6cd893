export { greatestLength, type LengthLaw, leastMeanLength, lengthLawSchema } from './values/length-law.ts'
export { type Lengths, lengths } from './values/lengths.ts'
export { parseLengthLaw } from './values/parse-length-law.ts'
export { objectCount, type Values, type ValuesOptions, values } from './values/values.ts'
