/**
 * Writes the indexes of decisions and proofs from the pages themselves: docs/decisions/README.md and
 * docs/proofs/README.md. With `--check` it only says whether they are what they should be.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { files, root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values

const problems = []
const indexes = { 'docs/decisions/README.md': decisions(), 'docs/proofs/README.md': proofs() }
for (const [path, text] of Object.entries(indexes)) {
  if (!check) writeFileSync(join(root, path), text)
  else if (read(path) !== text) problems.push(`${path}: not what its pages say: run node scripts/records.mjs`)
}
verdict('indexes of decisions and proofs', problems)

function decisions() {
  const records = pagesIn('docs/decisions').map(recordOf)
  const areas = [...new Set(records.map(({ area }) => area))]
  const sections = areas.map((area) => {
    const own = records.filter((record) => record.area === area)
    const rows = own.map(
      ({ name, number, title, status }) => `| [${number}](${name}) | ${title} | ${status} |`,
    )
    return [`## ${area}`, '', '| | record | status |', '| --- | --- | --- |', ...rows].join('\n')
  })
  const lead =
    'The reasons: one page for each decision that fixes an interface, a default, a dependency or a format.'
  return `${['# Decisions', lead, ...sections].join('\n\n')}\n`
}

function proofs() {
  const rows = pagesIn('docs/proofs').map((path) => {
    const [, title] = /^# (.+)$/m.exec(read(path)) ?? []
    return `- [${title}](${basename(path)})`
  })
  const lead = 'Long runs: each page has a question, the command, the seed, the figures and a verdict.'
  return `${['# Proofs', lead, rows.join('\n')].join('\n\n')}\n`
}

function recordOf(path) {
  const text = read(path)
  const [, number, title] = /^# (\d{4})\. (.+)$/m.exec(text) ?? []
  const [, status, area] = /^(\w+ \d{4}-\d\d-\d\d) · (.+)$/m.exec(text.split('\n', 3)[2] ?? '') ?? []
  if (title === undefined || area === undefined)
    problems.push(`${path}: begins with "# 0001. Title" and "Accepted 2026-11-21 · Area"`)
  return { name: basename(path), number, title, status, area }
}

function pagesIn(folder) {
  return files(folder, (path) => path.endsWith('.md') && basename(path) !== 'README.md').sort()
}

function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return ''
  }
}
