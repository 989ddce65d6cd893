export { type LearnBeforeOptions, learnBefore } from './learn/before/learn-before.ts'
