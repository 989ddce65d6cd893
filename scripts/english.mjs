/**
 * Counts phrases that cost a reader a second reading: in comments and messages of sources, and in pages. Each count
 * has a ceiling in english.json, for each area. A count above its ceiling fails and lists the places; `--lower` writes
 * the counts that fell. Ceilings only fall.
 *
 *   node scripts/english.mjs                          check
 *   node scripts/english.mjs --list what,nobody       every place of these phrases
 *   node scripts/english.mjs --lower                  lower the ceilings to what is counted
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prose } from './prose.mjs'
import { files, root, verdict } from './workspaces.mjs'

/** A sentence starts with a file, a comment or a message, a list item, a table cell, or behind another sentence. */
const first = String.raw`(?<=(?:^|\u0000|[.!?]["'\`)]?\s|\n\s*\n|\n\s*[-*|]\s)\s*)`

/** By name: the phrase, and what to write instead. */
const phrases = {
  'is-no': [
    /(?<!\b[Tt]here )\b(?:is|are|was|were|be|been) no (?!longer\b|more\b|other\b|less\b)/g,
    'is not a …',
  ],
  whoever: [
    /\b(?:who|whom|whose)ever\b|\bwho (?:is|are|was|has|have|does|asks|writes|reads|calls)\b/gi,
    'name it: the caller, the process',
  ],
  he: [/(?<!")\b(?:he|him|his|himself|she|her)\b/gi, 'processes, callers and keys are "it"'],
  what: [
    new RegExp(`${first}(?:What|Who|Whom|Whose)\\b(?![^.?!\\u0000|]*\\?)`, 'g'),
    'subject and verb first',
  ],
  of: [new RegExp(`${first}(?:Of|As far as)\\b`, 'g'), 'subject and verb first'],
  by: [new RegExp(`${first}By\\b(?! default| hand)`, 'g'), 'subject and verb first'],
  whatever: [/\bwhatever\b/gi, 'name it, or "any"'],
  nobody: [/\bnobody\b|\bno one\b/gi, 'name it: no caller, no process'],
  'is-to': [/\b(?:is|are|was|were) to (?!\d)/g, 'must, should'],
  likes: [/\band (?:its|their|the) likes?\b/gi, 'compatible services, and similar'],
  knows: [/\b(?:refuses? to know|leaves? it be|has it that|lets? be)\b/gi, 'rejects, does nothing'],
  kin: [/\b(?:its|their|the|of) kin\b/gi, 'and similar, or name them'],
  'who-says-that': [
    /\bwho(?:ever)?\s[^.,;:!?\u0000]{1,60}?\b(?:says?|said|knows?|tells?|told|sees?)\s+(?:that|so)\b/gi,
    'two sentences: A writer answers. It says …',
  ],
  history: [/\bsince today\b|\bthat day\b|\buntil now\b|\bnowadays\b/gi, 'git keeps the history'],
}

const { values } = parseArgs({
  options: { root: { type: 'string' }, list: { type: 'string' }, lower: { type: 'boolean' } },
})
const from = values.root ?? root
const ceilingFile = join(from, 'scripts/english.json')
const ceilings = existsSync(ceilingFile) ? JSON.parse(readFileSync(ceilingFile, 'utf8')) : {}

const found = files('.', (path) => areaOf(path) !== undefined, from).flatMap(placesIn)
if (values.list) list(values.list.split(','))
else if (values.lower) lower()
else check()

function areaOf(path) {
  if (/(?:^|\/)(?:test|fixtures)\/|^tests\/|CHANGELOG/.test(path)) return undefined
  if (/^docs\/(?:decisions|proofs)\//.test(path)) return 'records'
  if (path.endsWith('.md')) return 'pages'
  return /\.(?:ts|mjs)$/.test(path) && !path.endsWith('scripts/english.mjs') ? 'sources' : undefined
}

function placesIn(path) {
  const area = areaOf(path)
  const text = readFileSync(join(from, path), 'utf8')
  const lines = text.split('\n')
  const read = prose(text, area === 'sources')
  return Object.entries(phrases).flatMap(([name, [pattern]]) =>
    [...read.matchAll(overLines(pattern))].map(({ index }) => {
      const line = read.slice(0, index).split('\n').length
      return { name, area, place: `${path}:${line}`, text: lines[line - 1].trim() }
    }),
  )
}

/** A phrase may go over the end of a line. */
function overLines({ source, flags }) {
  return new RegExp(source.replaceAll(' ', String.raw`\s+`), flags)
}

function counts() {
  const areas = ['sources', 'pages', 'records']
  const of = (name, area) => found.filter((one) => one.name === name && one.area === area).length
  const row = (name) => Object.fromEntries(areas.map((area) => [area, of(name, area)]))
  return Object.fromEntries(Object.keys(phrases).map((name) => [name, row(name)]))
}

function check() {
  const low = []
  const problems = []
  for (const [name, row] of Object.entries(counts())) {
    for (const [area, count] of Object.entries(row)) {
      const ceiling = ceilings[name]?.[area] ?? 0
      if (count < ceiling) low.push(`${name} in ${area}: ${count} of ${ceiling}`)
      if (count <= ceiling) continue
      const places = candidates(found.filter((one) => one.name === name && one.area === area)).map(shown)
      const rule = `"${name}" in ${area}: ${count}, at most ${ceiling}. Write instead: ${phrases[name][1]}.`
      problems.push([`${rule} Places in files changed since the ceilings were:`, ...places].join('\n'))
    }
  }
  if (low.length > 0)
    console.log(`below the ceiling (run node scripts/english.mjs --lower): ${low.join(', ')}`)
  verdict(`plain English, ${found.length} phrases left`, problems)
}

/** The places in files that changed since the ceilings did; all of them if there are none, or without git. */
function candidates(places) {
  try {
    const git = (...args) =>
      execFileSync('git', ['-C', from, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
    const changed = git('diff', '--name-only', git('log', '-1', '--format=%H', '--', ceilingFile)).split('\n')
    const recent = places.filter(({ place }) => changed.includes(place.replace(/:\d+$/, '')))
    return recent.length > 0 ? recent : places
  } catch {
    return places
  }
}

function list(names) {
  for (const one of found.filter(({ name }) => names.includes(name))) console.log(`${one.name} ${shown(one)}`)
}

function lower() {
  const least = (name, area, count) => Math.min(count, ceilings[name]?.[area] ?? count)
  const lowered = Object.entries(counts()).map(([name, row]) => {
    const cells = Object.entries(row).map(([area, count]) => `"${area}": ${least(name, area, count)}`)
    return `  "${name}": { ${cells.join(', ')} }`
  })
  writeFileSync(ceilingFile, `{\n${lowered.join(',\n')}\n}\n`)
}

function shown({ place, text }) {
  return `  ${place}: ${text}`
}
