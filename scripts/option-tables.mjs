/**
 * Writes the tables of options in the guides of `unikv bench` from the schemas of its studies, between two comments. With
 * `--check` it only says whether they are what they should be. It needs a build.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { studies } from '../packages/bench/dist/studies/index.js'
import { optionTable } from '../packages/bench/dist/study/configured.js'
import { files, root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values
const block = /(<!-- options of bench (\w+), [^>]*-->\n)[^]*?(<!-- end of options -->)/g

const tables = new Map()
for (const { name, load } of studies) tables.set(name, optionTable(await load()))

const problems = []
const found = new Set()
for (const path of files('docs/guides', (name) => name.endsWith('.md'))) {
  const text = readFileSync(join(root, path), 'utf8')
  const right = text.replace(block, (_, begin, name, end) => {
    found.add(name)
    return `${begin}\n${tables.get(name) ?? ''}\n\n${end}`
  })
  if (!check) writeFileSync(join(root, path), right)
  else if (right !== text) problems.push(`${path}: other options: run node scripts/option-tables.mjs`)
}
for (const name of tables.keys())
  if (!found.has(name)) problems.push(`bench ${name}: no guide has its options`)
verdict('options in the guides', problems)
