// How mistakes in files of people are told: the place, what was found, and what is right.
export { either, must, names, parsedAs, wrongAt } from './knowledge/wording.ts'
