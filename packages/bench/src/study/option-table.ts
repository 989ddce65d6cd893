import { type Option, optionsOf } from './options-of.ts'
import type { AnyStudy } from './study.ts'

/** The options of a study as a table in Markdown. */
export function optionTable(study: Pick<AnyStudy, 'config' | 'sources'>): string {
  const rows = optionsOf(study).map(
    (option) => `| ${nameIn(option)} | ${code(option.preset)} | ${meaningOf(option)} |`,
  )
  return ['| Option | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function nameIn({ flag, argument = '', facts: { letter, isArgument } }: Option): string {
  const names = [...(letter === undefined ? [] : [`-${letter}`]), `--${flag}`]
  const text = isArgument === true ? argument : `${names.join(', ')} ${argument}`.trim()
  return `\`${text.replaceAll('|', '\\|')}\``
}

function code(preset: string | undefined): string {
  return preset === undefined ? '' : preset.includes(' ') ? preset : `\`${preset}\``
}

function meaningOf({ facts: { help = '', isRepeatable = false, guide } }: Option): string {
  const text = `${help}${isRepeatable ? ' (repeatable)' : ''}`
  return guide === undefined ? text : `${text}. ${guide}`
}
