export { alikeIn, configured, optionTable } from './study/configured.ts'
export { type Option, optionsOf } from './study/options-of.ts'
