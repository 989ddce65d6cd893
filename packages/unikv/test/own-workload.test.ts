import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultOf } from '@unikv/bench/studies'
import { describe, expect, test } from 'vitest'
import { inProcess, root, typed, unikv } from './command-line.ts'

const short = ['--records', '50', '--operations', '60', '--warmup', '0', '--runs', '1', '--quiet']
const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))

const examples = [
  ['TypeScript', example('own-workload.ts'), []],
  ['JavaScript, in two threads', example('dist/own-workload.js'), ['--threads', '2']],
] as const

describe('unikv bench run --workload', () => {
  test.each(examples)('takes the example in %s', async (_, file, options) => {
    const args = ['bench', 'run', '--store', 'lmdb:./own', '--workload', file, ...short, ...options]
    const { code, out, err } = await inProcess([...args, '--fail-if', 'browse.mean > 100s'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^workload: shop: 5 % update, 80 % browse, 15 % buy$/m)
    const result = JSON.parse(
      await readFile(join(root, 'unikv-bench-run', 'result.json'), 'utf8'),
    ) as ResultOf<'run'>
    expect(result.targets[0]!.operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['update', 'browse', 'buy']),
    )
    expect(result.targets[0]!.runs[0]).toMatchObject({ operations: 60, errors: 0 })
  })

  test('collects and analyses logs of many tenants, as the study of middleware does', async () => {
    const file = example('log-management/workload.ts')
    const options = ['--operations', '100', '--concurrency', '2', '--warmup', '0', '--runs', '1', '--quiet']
    const { code, out, err } = await inProcess([
      ...typed(`bench run --store memory: --workload ${file}`),
      ...options,
      '--json',
    ])
    // A busy machine may starve the callers.
    expect([0, 4], err).toContain(code)
    const { targets } = JSON.parse(out) as ResultOf<'run'>
    const [target] = targets
    expect(target!.runs[0]).toMatchObject({ operations: 100, errors: 0 })
    const { operations } = target!
    const named = (outcome: string | null) =>
      operations.filter((one) => one.outcome === outcome).map(({ name }) => name)
    expect(named(null)).toEqual(['collect', 'look', 'correct', 'remove', 'suspects', 'trace'])
    // Only a collector that has sent nothing yet may miss.
    expect(named('miss').filter((name) => name !== 'remove')).toEqual([])
  })

  test.each([
    ['', 'must export a workload as its default: export default defineWorkload({ … }).'],
    ['export default () => 1', 'must export a workload as its default'],
    ['export default {', 'module.mjs cannot be loaded: Unexpected end of input'],
    ['export default { operation: {} }', 'Did you mean `operations`?'],
    [
      'export default { operations: { a: () => 1 } }',
      'has an operation a that is not an object. Write it like a: {',
    ],
    [
      'export default { operations: { a: { weight: 1 } } }',
      'has an operation a whose `run` is not a function.',
    ],
    [
      'export default { operations: { a: { weight: -1, run() {} } } }',
      'whose `weight` is not a number of 0 or more',
    ],
    [
      'export default { operations: { a: { weight: 1e308, run() {} } } }',
      'has an operation a whose `weight` is above 1,000,000,000. Only the ratio of weights counts.',
    ],
    [
      "export default { operations: { a: { weight: 1, needs: ['incremnt'], run() {} } } }",
      "module.mjs has an operation a that needs 'incremnt', which is not a feature. Features are conditionalWrite, ",
    ],
    [
      'export default { operations: { a: { weight: 0, run() {} } } }',
      'has no operation with a weight above 0',
    ],
    [
      'export default { operations: { read: { weight: 1, run() {} } } }',
      'read, which is the name of a built-in one',
    ],
    [
      'export default { operations: { "a b": { weight: 1, run() {} } } }',
      "'a b': a name begins with a letter",
    ],
    [
      'export default { operations: { service: { weight: 1, run() {} } } }',
      'a word that thresholds and reports use',
    ],
    ['export default { mix: { raed: 1 } }', "Mix: there is no operation 'raed'"],
    ['export default { mix: { read: 1 }, setup: 1 }', 'has a `setup` that is not a function'],
    ['export default { mix: { read: 1 }, keys: "zipfan" }', 'zipfian'],
    ['export default { mix: { read: 1 }, records: 0 }', 'The configuration is wrong at workload.records'],
  ])('refuses %j with exit code 2 and one sentence, and writes nothing', async (text, message) => {
    await writeFile(join(root, 'module.mjs'), text)
    const args = ['bench', 'run', '--store', 'memory:', '--workload', './module.mjs', '--out', 'none']
    const { code, err } = await inProcess(args)
    expect([code, err.includes(message), err.trim().split('\n').length], err).toEqual([2, true, 1])
    expect(existsSync(join(root, 'none'))).toBe(false)
  })

  test('ends where nothing but an operation that never settles is left', async () => {
    const run = '() => new Promise(() => {})'
    await writeFile(
      join(root, 'stuck.mjs'),
      `export default { operations: { a: { weight: 1, run: ${run} } } }`,
    )
    const args = ['bench', 'run', '--store', 'memory:', '--workload', './stuck.mjs', '--timeout-ms', '50']
    const { code, err } = await unikv([...args, ...short])
    expect([code, err]).toEqual([4, expect.stringContaining('60 of 60 operations failed')])
  })

  test('refuses a file that is not there', async () => {
    const { code, err } = await inProcess(['bench', 'run', '--store', 'memory:', '--workload', 'no.ts'])
    expect([code, err]).toEqual([2, 'unikv: The workload module no.ts cannot be read (ENOENT).\n'])
  })
})
