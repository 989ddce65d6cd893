/**
 * Writes tables of options between two comments of a page: those of a study of `unikv bench` from its schema, those of a
 * store or a layer from its documented type, as typedoc and editors show it. With `--check` it only says whether they
 * are what they should be. It needs a build, and `npm run typedoc --workspace docs`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { studies } from '../packages/bench/dist/studies/index.js'
import { optionTable } from '../packages/bench/dist/study/configured.js'
import { files, packages, root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values
const block = /(<!-- options of ((?:bench )?\w+), [^>]*-->\n)[^]*?(<!-- end of options -->)/g

const problems = []
const tables = new Map()
for (const { name, load } of studies) tables.set(`bench ${name}`, optionTable(await load()))
/** The source of each interface whose options stand in a table. */
const sources = new Map()
for (const path of files('packages', (name) => /\/src\/.*\.ts$/.test(name))) readSource(path)
collect(JSON.parse(readFileSync(join(root, '.cache/api.json'), 'utf8')))

const found = new Set()
const pages = [
  ...packages().map(({ folder }) => `${folder}/README.md`),
  ...files('docs/guides', (name) => name.endsWith('.md')),
]
for (const path of pages) {
  const text = readFileSync(join(root, path), 'utf8')
  const right = text.replace(block, (_, begin, name, end) => {
    found.add(name)
    if (!tables.has(name)) problems.push(`${path}: there are no options of ${name}`)
    return `${begin}\n${tables.get(name) ?? ''}\n\n${end}`
  })
  if (!check) writeFileSync(join(root, path), right)
  else if (right !== text) problems.push(`${path}: other options: run node scripts/option-tables.mjs`)
}
for (const { name } of studies)
  if (!found.has(`bench ${name}`)) problems.push(`bench ${name}: no guide has its options`)
verdict('options in the pages', problems)

/** The interfaces of options, wherever they are. */
function collect({ name, kind, children = [] }) {
  const isInterface = kind === 256
  if (!isInterface) for (const child of children) collect(child)
  else if (sources.has(name)) tables.set(name, tableOf(children, sources.get(name)))
}

function tableOf(options, source) {
  // Those that several stores share stand elsewhere, and come last.
  const placeOf = ({ name }) => {
    const at = source.indexOf(`\n  ${name}: `)
    return at === -1 ? source.length : at
  }
  const ordered = options.toSorted((a, b) => placeOf(a) - placeOf(b))
  return ['| option | default | meaning |', '| --- | --- | --- |', ...ordered.map(rowOf)].join('\n')
}

function rowOf({ name, comment: { summary = [], blockTags = [] } = {}, flags }) {
  const preset = blockTags.find(({ tag }) => tag.startsWith('@default'))
  const text = preset === undefined ? (flags.isOptional ? '' : 'required') : presetOf(preset)
  return `| \`${name}\` | ${text} | ${inRow(summary)} |`
}

/** Values as code, words as they are. */
function presetOf({ content }) {
  const text = inRow(content).replace(/^```\w* ?(.*?) ?```$/, '$1')
  return /^('[^']*'|true|false|Infinity|[A-Z]\w+\.\w+|\w+\.\w+)$/.test(text) ? `\`${text}\`` : text
}

function inRow(content) {
  return content
    .map(({ text }) => text)
    .join('')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
}

/** Note what it declares, and that the default in the comment of an option is that of its declaration. */
function readSource(path) {
  const source = readFileSync(join(root, path), 'utf8')
  if (!source.includes('OptionsOf<typeof ')) return
  for (const [, name] of source.matchAll(/^export interface (\w+)/gm)) sources.set(name, source)
  for (const [, text, option, declared] of source.matchAll(
    /@default ([^*]+?)\s*\*\/\n\s+(\w+): (?!valid\b|provider\b)\w+(?:<[^\n]*>)?\(('[^']*'|[\d_]+|true|false)[,)]/g,
  ))
    if (plain(text) !== plain(declared))
      problems.push(`${path}: the default of ${option} is ${declared}, and its comment says ${text}`)
}

/** `64 Mi` and `67_108_864` are the same. */
function plain(text) {
  const [, number, unit] = /^([\d,_]+)(?: (Ki|Mi))?(?=$|[ ;:,])/.exec(text) ?? []
  if (number === undefined) return text.replace(/[,:]? [^']*$/, '')
  return String(Number(number.replaceAll(/[,_]/g, '')) * ({ Ki: 1024, Mi: 1024 ** 2 }[unit] ?? 1))
}
