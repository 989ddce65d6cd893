export { alikeIn, type ConfiguredStudy, configured } from './options/configured.ts'
export type { Form, Idle, OptionFacts } from './options/option.ts'
export { optionTable } from './options/option-table.ts'
export { type NumberRange, type Option, optionsOf } from './options/options-of.ts'
