export type { Form, Idle, OptionFacts } from './options/option.ts'
export { alikeIn, type ConfiguredStudy, configured } from './study/configured.ts'
export { optionTable } from './study/option-table.ts'
export { type NumberRange, type Option, optionsOf } from './study/options-of.ts'
