export { alikeIn, configured } from './study/configured.ts'
export { optionTable } from './study/option-table.ts'
export { type Option, optionsOf } from './study/options-of.ts'
