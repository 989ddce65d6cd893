import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultOf } from '@unikv/bench/studies'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { inProcess, root } from './command-line.ts'

const dist = (of: string): string => JSON.stringify(fileURLToPath(new URL(`../../${of}`, import.meta.url)))

/** A store of the user's: LMDB by a name of their own, for each thread that opens it. */
const ofMine = `import { open } from ${dist('stores/dist/lazy.js')}
type Options = { readonly dataset: string }
export default async function mine({ dataset }: Options) {
  const inner = await open('lmdb:./mine', { dataset })
  const verbs = ['read', 'write', 'scan', 'close'].map((verb) => [verb, inner[verb].bind(inner)])
  return { ...Object.fromEntries(verbs), name: 'mine', capabilities: inner.capabilities }
}
`

test('a store in a file of the user is measured in threads, and beside others', async () => {
  await writeFile(join(root, 'my-store.ts'), ofMine)
  const run = ['bench', 'run', '--store', './my-store.ts', '--threads', '2', '--records', '50', '--runs', '1']
  const { code, err } = await inProcess([...run, '--operations', '60', '--warmup', '0', '--quiet'])
  expect([code, err]).toEqual([0, ''])
  const text = await readFile(join(root, 'unikv-bench-run', 'result.json'), 'utf8')
  const { stores, targets } = JSON.parse(text) as ResultOf<'run'>
  expect(stores).toMatchObject([{ name: 'my-store', url: 'module:./my-store.ts', adapter: 'mine' }])
  expect(targets[0]!.runs[0]).toMatchObject({ operations: 60, errors: 0 })

  const document = {
    name: 'mine or theirs',
    candidates: { mine: './my-store.ts', theirs: 'lmdb:./theirs' },
    needs: ['scan'],
    workload: { preset: 'b', records: 20, valueSize: 100 },
    loads: { both: 'read=80,update=20' },
    sweep: { callers: [1, 2], runs: 1, operations: 20, warmup: '0s' },
    scenarios: { 'no failure': { measure: 'errors <= 0%', load: 'both', callers: 2 } },
  }
  await writeFile(join(root, 'mine.yaml'), stringify(document))
  const ranked = await inProcess(['evaluate', 'mine.yaml', '--out', 'mine-or-theirs', '--quiet'])
  expect([ranked.code, ranked.err]).toEqual([0, ''])
  expect(ranked.out).toMatch(/(mine and theirs|theirs and mine) meet every scenario/)
})

test.each([
  ['', 'must export a store, or a function that makes one, as its default'],
  ['export default { name: 1 }', 'makes a store without a `name`.'],
  ["export default { name: 'x', capabilities: null }", 'makes a store without `capabilities`.'],
  [
    "export default { name: 'x', capabilities: {}, read() {} }",
    'makes a store without write, scan, close, so it is not',
  ],
  ["export default () => { throw new Error('no server') }", 'could not make its store: no server'],
  ['export default {', 'cannot be loaded: '],
])('a module that is no store is refused: %s', async (text, why) => {
  await writeFile(join(root, 'wrong.mjs'), text)
  const { code, err } = await inProcess(['bench', 'run', '--store', 'wrong.mjs', '--quiet'])
  expect(code).toBe(2)
  expect(err).toContain(`The store module ./wrong.mjs ${why}`)
})
