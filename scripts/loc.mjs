/**
 * Writes the lines of code of session workloads and of each store into docs/guides/session-workloads.md, between two comments: without blank
 * lines and comments. With `--check` it only says whether a figure there is off by more than a tenth.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values
const page = 'docs/guides/session-workloads.md'

const files = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^[^.]*\/src\/.*\.ts$/.test(file) && !file.includes('node_modules'),
)

/** Components, and the files of each. */
const components = [
  ['entities (`@unikv/entity`)', /^entity\/src\//],
  ['configuration language (`@unikv/config`)', /^config\/src\//],
  ['sessions (`@unikv/bench/session`)', /^bench\/src\/session\/(model|run)\//],
  ['jobs (`packages/bench/src/studies/session`)', /^bench\/src\/studies\/session\//],
  ['SQL access', /^bench\/src\/session\/sql\//],
  ['Auction, by entities', /^bench\/src\/session\/auction\/(by-entities|entities)\.ts$/],
  ['Auction, by SQL', /^bench\/src\/session\/auction\/by-sql\.ts$/],
  ['Auction, for both', /^bench\/src\/session\/auction\/(?!by-|entities)/],
  ['Micro, by entities', /^bench\/src\/session\/micro\/by-entities\.ts$/],
  ['Micro, by SQL', /^bench\/src\/session\/micro\/by-sql\.ts$/],
  ['Micro, for both', /^bench\/src\/session\/micro\/(?!by-)/],
]

/** Stores by their folders. */
const stores = readdirSync(join(root, 'packages/adapters')).sort()

const tables = {
  components: table(
    ['component', 'lines', 'files'],
    components.map(([name, pattern]) => [name, ...counts(pattern)]),
  ),
  stores: table(
    ['store', 'lines', 'files', 'of these its own transactions'],
    stores.map((name) => {
      const [own] = counts(new RegExp(`^adapters/${name}/src/groups/`))
      return [name, ...counts(new RegExp(`^adapters/${name}/src/`)), own === '0' ? '–' : own]
    }),
  ),
}

const problems = []
const text = readFileSync(join(root, page), 'utf8')
const block = /(<!-- lines of (\w+), [^>]*-->\n)([^]*?)(<!-- end of lines -->)/g
const found = new Set()
const right = text.replace(block, (_, begin, name, before, end) => {
  found.add(name)
  if (!isNear(before, tables[name]))
    problems.push(`${page}: other lines of ${name}: run node scripts/loc.mjs`)
  return `${begin}\n${tables[name]}\n\n${end}`
})
for (const name of Object.keys(tables)) if (!found.has(name)) problems.push(`${page}: no lines of ${name}`)
if (check) verdict('lines of code', problems)
else writeFileSync(join(root, page), right)

function counts(pattern) {
  const own = files.filter((file) => pattern.test(file))
  const lines = own.reduce((sum, file) => sum + linesOf(file), 0)
  return [lines.toLocaleString('en'), String(own.length)]
}

/** Lines with code. A comment over several lines has its lines for itself in this code. */
function linesOf(file) {
  const code = readFileSync(join(root, 'packages', file), 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
  return code.split('\n').filter((line) => !/^\s*(\/\/|$)/.test(line)).length
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** The same rows, and no number off by more than a tenth and five. */
function isNear(before, now) {
  const number = /(?<=\| )[\d,]+(?= \|)/g
  if (before.replace(number, '').trim() !== now.replace(number, '').trim()) return false
  const [old, fresh] = [before, now].map((one) =>
    [...one.matchAll(number)].map(([n]) => Number(n.replaceAll(',', ''))),
  )
  return fresh.every((n, at) => Math.abs(n - old[at]) <= 5 + n / 10)
}
