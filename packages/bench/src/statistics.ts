export { fastRandom, portableRandom, shuffledIndexes } from './random/random.ts'
export { zipfAlias, zipfRejection } from './random/ranks.ts'
export { pairedTest, welchTest } from './statistics/compare/t-tests.ts'
