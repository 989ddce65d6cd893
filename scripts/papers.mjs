/**
 * Writes docs/reference/papers.md from papers.yaml beside it: each capability that one of the five papers describes, its place there, and the
 * command or test that shows it here. Every path, command and option must exist. With `--check` it only says whether the page is
 * what it should be. It needs a build.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { root, verdict } from './workspaces.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean' } } }).values
const [source, page] = ['docs/reference/papers.yaml', 'docs/reference/papers.md']
/** A capability that works says nothing; the others say what is missing, or why it cannot be had. */
const states = ['partly', 'missing', 'cannot']
const words = { works: 'works', partly: 'partly', missing: 'missing', cannot: 'not here' }

const problems = []
const commands = knownCommands()
const papers = parse(readFileSync(join(root, source), 'utf8'))
const text = pageOf(papers)
if (!check) writeFileSync(join(root, page), text)
else if (!existsSync(join(root, page)) || readFileSync(join(root, page), 'utf8') !== text)
  problems.push(`${page}: not what ${source} says: run node scripts/papers.mjs`)
verdict('capabilities of the papers', problems)

function pageOf(all) {
  const counts = all.map(({ short, capabilities }) => {
    const own = Object.keys(words).map((state) => capabilities.filter((one) => stateOf(one) === state).length)
    return [short, capabilities.length, ...own]
  })
  const sums = counts[0].slice(1).map((_, i) => counts.reduce((sum, row) => sum + row[i + 1], 0))
  const head = ['paper', 'capabilities', ...Object.values(words)]
  return `${[
    '# What five papers describe',
    '<!-- Written by node scripts/papers.mjs from papers.yaml: change that file. -->',
    'unikv grew from five papers. This page names each capability that one of them describes, its place in the paper, and the command, test or page that shows it here. Paths are those of the repository. A check compares them, the commands and their options with what exists.',
    table(head, [...counts, ['all', ...sums]]),
    ...all.map(sectionOf),
  ].join('\n\n')}\n`
}

function sectionOf({ title, cite, capabilities }) {
  const rows = capabilities.map((one) => {
    const state = stateOf(one)
    const told = state === 'works' ? words.works : `${words[state]}: ${one[state]}`
    return [one.at, one.what, told, (one.by ?? []).map((by) => shown(by, one.what)).join(', ')]
  })
  return [`## ${title}`, cite, table(['place', 'capability', 'state', 'shown by'], rows)].join('\n\n')
}

function stateOf(one) {
  const own = states.filter((state) => one[state] !== undefined)
  const { at, what, by = [] } = one
  if (own.length > 1 || !at || !what) problems.push(`${source}: one place, sentence and state each: ${what}`)
  const [state = 'works'] = own
  if (['works', 'partly'].includes(state) && by.length === 0)
    problems.push(`${source}: nothing shows it: ${what}`)
  return state
}

/** A path becomes a link, a command stays text. */
function shown(by, what) {
  if (by.startsWith('unikv ')) {
    checkCommand(by, what)
    return `\`${by}\``
  }
  if (by.startsWith('npm run ')) {
    const [, , name] = by.split(' ')
    if (!(name in JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts))
      problems.push(`${source}: no script ${name}: ${what}`)
    return `\`${by}\``
  }
  const [path] = by.split('#')
  if (!existsSync(join(root, path))) problems.push(`${source}: ${by} is not there: ${what}`)
  const link = by.startsWith('docs/') ? `../${by.slice('docs/'.length)}` : `../../${by}`
  return `[${basename(path).replace(/\.(?:test\.)?(?:ts|md|tsv)$/, '')}](${link.replace('../reference/', '')})`
}

function checkCommand(text, what) {
  const [, ...given] = text.split(' ')
  let words = 0
  while (words < given.length && commands.has(given.slice(0, words + 1).join(' '))) words += 1
  const path = given.slice(0, words).join(' ')
  const options = given.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
  const missing = options.filter((option) => !commands.get(path)?.has(option))
  const hasMore = [...commands.keys()].some((one) => one.startsWith(`${path} `))
  const isUnknown = hasMore && given[words]?.startsWith('--') === false
  if (path === '' || isUnknown || missing.length > 0)
    problems.push(`${source}: no such command: ${text} (${what})`)
}

/** The options of each command, by its own words for shells. */
function knownCommands() {
  const script = execFileSync('node', ['packages/unikv/bin/unikv.js', 'completion', 'bash'], {
    cwd: root,
    encoding: 'utf8',
  })
  return new Map(
    [...script.matchAll(/^ {4}'([^']*)'\) offers='([^']*)'/gm)].map(([, path, offers]) => [
      path,
      new Set(offers.split(' ')),
    ]),
  )
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
