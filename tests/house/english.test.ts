import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../scripts/english.mjs')

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'unikv-english-'))
  write('scripts/english.json', '{ "nobody": { "sources": 1, "pages": 0 } }')
})
afterEach(() => rmSync(root, { recursive: true }))

test('fails above the ceiling, and names each place and the better words', () => {
  write('packages/a/src/a.ts', `/** Fine. */\nconst a = 1 // nobody\nthrow new Error('Nobody\\'s key.')\n`)
  const { status, output } = english()
  expect(status).toBe(1)
  expect(output).toContain('"nobody" in sources: 2, at most 1. Write instead')
  expect(output).toContain("packages/a/src/a.ts:3: throw new Error('Nobody")
})

test('counts comments, messages and pages, not code, names and questions', () => {
  const source = [
    'const nobody = /nobody "/ // What a caller wants.',
    "const name = 'nobody'",
    '/**',
    ' * Holds it. What',
    ' * follows is a sentence. What now?',
    ' */',
  ]
  write('src/a.ts', source.join('\n'))
  write('a.md', '# Title\n\nWhat it is.\n\n`What`, or what.\n\n```ts\n// What\n```\n\n- Of each.\n')
  const { output } = english('--list', Object.keys(ceilings('--lower')).join(','))
  const places = output.trim().split('\n')
  expect(places.map((line) => line.split(': ', 1)[0])).toStrictEqual([
    'what   a.md:3',
    'of   a.md:11',
    'what   src/a.ts:1',
    'what   src/a.ts:4',
  ])
})

test('counts kin, a "that" far from its noun, and a phrase over two lines', () => {
  const sentences = [
    'Redis and its kin.',
    'A process that\nopens; who writes by it\nsays that.',
    'Whoever joined is told so.',
    'A key of kind.',
    'A caller says so.',
    'Who has no key, says so.',
    'A caller who\nasks.',
  ]
  write('a.md', sentences.join('\n\n'))
  const { output } = english('--list', 'kin,whoever,who-says-that')
  const places = output.trim().split('\n')
  expect(places.map((line) => line.split(': ', 1)[0])).toStrictEqual([
    'whoever   a.md:4',
    'whoever   a.md:7',
    'whoever   a.md:13',
    'whoever   a.md:15',
    'kin   a.md:1',
    'who-says-that   a.md:4',
    'who-says-that   a.md:7',
  ])
})

test('lowers a ceiling, and never raises one', () => {
  write('a.md', 'Nobody. Whatever.\n')
  expect(ceilings('--lower')['nobody']).toStrictEqual({ sources: 0, pages: 0, records: 0 })
  expect(english().status).toBe(1)
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function english(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('node', [script, '--root', root, ...args], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

function ceilings(...args: string[]): Record<string, unknown> {
  english(...args)
  return JSON.parse(readFileSync(join(root, 'scripts/english.json'), 'utf8'))
}
