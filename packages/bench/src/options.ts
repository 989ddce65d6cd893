export { type ConfiguredStudy, configured } from './options/configured.ts'
export type { Form, Idle, OptionFacts } from './options/option.ts'
export { type NumberRange, type Option, optionsOf } from './options/options-of.ts'
