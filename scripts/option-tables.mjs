/**
 * Writes tables of options between two comments of a page: those of a study of `unikv bench` from its schema, those of a
 * store or a layer from its documented type, as typedoc and editors show it. With `--check` it only says whether they
 * are what they should be, and that tables written by hand leave no option out. It needs a build, and
 * `npm run typedoc --workspace docs`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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
/** The file and the text of each interface whose options stand in a table. */
const sources = new Map()
for (const path of files('packages', (name) => /\/src\/.*\.ts$/.test(name))) readSource(path)
const api = join(root, '.cache/api.json')
if (!existsSync(api)) {
  console.error('There is no .cache/api.json: run npm run build && npm run typedoc --workspace docs first.')
  process.exit(1)
}
/** The names of the options of each interface. */
const names = new Map()
collect(JSON.parse(readFileSync(api, 'utf8')))

const found = new Set()
const guides = files('docs/guides', (name) => name.endsWith('.md'))
const pages = [...packages().map(({ folder }) => `${folder}/README.md`), ...guides]
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
for (const [name, options] of names)
  if (name.endsWith('Options') && !found.has(name)) checkNamed(name, options)
verdict('options in the pages', problems)

/** Tables written by hand, in the README or a guide, name each option too. */
function checkNamed(name, options) {
  const { path } = sources.get(name)
  const readme = `${path.slice(0, path.indexOf('/src/'))}/README.md`
  const text = [readme, ...guides].map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
  for (const option of options)
    if (!new RegExp(`\`[^\`\n]*\\b${option}\\b[^\`\n]*\``).test(text))
      problems.push(
        `${readme}: \`${option}\` of ${name} (${path}) is neither there nor in a guide: add it to the table of options`,
      )
}

/** The interfaces of options, wherever they are. */
function collect({ name, kind, children = [] }) {
  const isInterface = kind === 256
  if (!isInterface) for (const child of children) collect(child)
  else if (sources.has(name)) {
    tables.set(name, tableOf(children, sources.get(name).source))
    names.set(
      name,
      children.map((child) => child.name),
    )
  }
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
  for (const [, name] of source.matchAll(/^export interface (\w+)/gm)) sources.set(name, { path, source })
  for (const [, text, option, declared] of source.matchAll(
    /@default ([^*]+?)\s*\*\/\n\s+(\w+): \w+(?:<[^\n]*>)?\(('[^']*'|[\d_]+|true|false)[,)]/g,
  ))
    if (plain(text) !== plain(declared))
      problems.push(`${path}: the default of ${option} is ${declared}, and its comment says ${text}`)
}

/** `64 Mi` and `67_108_864` are the same. */
function plain(text) {
  const [, number, unit] = /^([\d,_]+)(?: (Ki|Mi))?(?=$|[ ;:,])/.exec(text) ?? []
  if (number === undefined) return text.replace(/,? [^']*$/, '')
  return String(Number(number.replaceAll(/[,_]/g, '')) * ({ Ki: 1024, Mi: 1024 ** 2 }[unit] ?? 1))
}
