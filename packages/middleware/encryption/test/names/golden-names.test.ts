import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { hostileKeys } from '@unikv/conformance'
import { canonicalKey, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { nameKey } from '../../src/names/name-key.ts'
import { Naming } from '../../src/names/naming.ts'
import { root1 } from '../records.ts'

/** What `golden/make_names.py`, an implementation in another language, wrote. */
interface GoldenNames {
  readonly nameKey: string
  readonly dataset: string
  readonly check: string
  readonly keys: readonly { readonly canonical: string; readonly stored: string }[]
  readonly prefixes: readonly { readonly prefix: string; readonly stored: string }[]
}

const script = fileURLToPath(new URL('../golden/make_names.py', import.meta.url))
const sets = JSON.parse(
  readFileSync(new URL('../golden/names.json', import.meta.url), 'utf8'),
) as readonly GoldenNames[]

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.each(sets)('golden names of $dataset under $nameKey', (golden) => {
  const naming = new Naming(nameKey(golden.nameKey), golden.dataset)

  test('are what we make', () => {
    expect(golden.keys.length).toBeGreaterThan(40)
    for (const { canonical, stored } of golden.keys) expect(naming.stored(canonical)).toBe(stored)
    expect(naming.check.toString('hex')).toBe(golden.check)
  })

  test('have the prefixes that we make', () => {
    expect(golden.prefixes.length).toBeGreaterThan(15)
    for (const { prefix, stored } of golden.prefixes) expect(naming.storedPrefix(prefix).stored).toBe(stored)
  })
})

describe.skipIf(!hasPython)(`the Python program${hasPython ? '' : ': SKIPPED, no python3'}`, () => {
  test('would write the committed file again', () => {
    expect(spawnSync('python3', [script, '--check']).status).toBe(0)
  })

  test('names every hostile key as we do, also in a namespace called so', () => {
    const all = hostileKeys.flatMap((key) => {
      const prefix = namespacePrefix([key, 'inner'])
      return [canonicalKey('', key), `${prefix}${key}`, internalKey('chunk', prefix, key)]
    })
    const input = all
      .map((canonical) => `${JSON.stringify({ nameKey: root1, dataset: 'users', canonical })}\n`)
      .join('')
    const { stdout, status, stderr } = spawnSync('python3', [script, '--name'], { input, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const naming = new Naming(nameKey(root1), 'users')
    const theirs = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as string)
    expect(theirs).toEqual(all.map((key) => naming.stored(key)))
  })
})
