/**
 * Writes the indexes of decisions and proofs from the pages themselves: docs/decisions/README.md and
 * docs/proofs/README.md. With `--check` it only says whether they are what they should be.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { anchorOf, files, root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values

const problems = []
const indexes = { 'docs/decisions/README.md': decisions(), 'docs/proofs/README.md': proofs() }
for (const [path, text] of Object.entries(indexes)) {
  if (!check) writeFileSync(join(root, path), text)
  else if (read(path) !== text) problems.push(`${path}: not what its pages say: run node scripts/records.mjs`)
}
verdict('indexes of decisions and proofs', problems)

function decisions() {
  const sections = pagesIn('docs/decisions').map((path) => {
    const [, room] = /^# Decisions: (.+)$/m.exec(read(path)) ?? []
    const rows = recordsOf(path).map(
      ({ number, title, status, anchor }) =>
        `| [${number}](${basename(path)}#${anchor}) | ${title} | ${status} |`,
    )
    const heading = `## [${room?.replace(/^./, (first) => first.toUpperCase())}](${basename(path)})`
    return [heading, '', '| | record | status |', '| --- | --- | --- |', ...rows].join('\n')
  })
  const lead =
    'The reasons: one page a room, with a section for each decision that fixes an interface, a default, a dependency or a format.'
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

function recordsOf(path) {
  const parts = read(path).split(/^## /m).slice(1)
  if (parts.length === 0)
    problems.push(`${path}: a page of decisions is of a room, and has a section for each`)
  return parts.map((part) => {
    const [, number, title] = /^(\d{4})\. (.+)$/m.exec(part) ?? []
    const [status = ''] = /^\w+ \d{4}-\d\d-\d\d$/m.exec(part.split('\n', 3)[2] ?? '') ?? []
    if (title === undefined || status === '')
      problems.push(`${path}: a section begins with "## 0001. Title" and "Accepted 2026-11-21"`)
    return { number, title, status, anchor: anchorOf(`${number}. ${title}`) }
  })
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
