/**
 * Writes docs/decisions/README.md from the pages of decisions, and docs/proofs/README.md from proofs.tsv. With `--check`
 * it only says whether they are what they should be.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { proofPage } from './proof-rows.mjs'
import { anchorOf, files, root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values

const problems = []
const indexes = { 'docs/decisions/README.md': decisions(), 'docs/proofs/README.md': proofs() }
for (const [path, text] of Object.entries(indexes)) {
  if (!check) writeFileSync(join(root, path), text)
  else if (read(path) !== text) problems.push(`${path}: not what it is made of: run node scripts/records.mjs`)
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
  const lead =
    'Long runs. Their short forms run with the tests. Where a row says nothing else: Debian 12, Linux 6.18, two cores of a virtual machine that other work shared, Node.js 20.20.2, real servers on the same machine. *Not shown* names the limits of a proof.'
  const further =
    'Beside the table: [budgets of time and memory, and native clients](performance.md), [groups, locks and joins in sessions](sessions.md), and [faults that proofs and attacks found, and planted ones](found.md).'
  const written =
    '<!-- Written by node scripts/records.mjs from proofs.tsv, to which npm run prove appends its runs: change that file. -->'
  return `${['# Proofs', written, lead, further, proofPage(problems)].join('\n\n')}\n`
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
