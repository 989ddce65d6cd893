import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { describe, expect, test } from 'vitest'
import { inProcess, root, typed } from './command-line.ts'

describe('unikv bench run --config', () => {
  test('takes its options from a YAML file, and those of the command line win', async () => {
    const lines = [
      'store: {first: "memory:", second: "memory:?a=1"}',
      'mix: {read: 3, update: 1}',
      'records: 50',
      'valueSize: 10..20',
      'fail-if: [read.mean > 100s, "${UNIKV_TEST_METRIC} > 100"]',
      'warmup: 0',
      'quiet: true',
    ]
    await writeFile(join(root, 'bench.yaml'), lines.join('\n').replace('memory:?a=1', 'file:./second'))
    process.env['UNIKV_TEST_METRIC'] = 'errors'
    const args = typed('bench run --config bench.yaml --records 70 --operations=40 --runs 1')
    const { code, out, err } = await inProcess([...args, '--json', '--out', 'configured'])
    expect([code, err]).toEqual([0, expect.not.stringContaining('error')])
    const { config, stores, command } = JSON.parse(out) as ResultOf<'run'>
    expect(stores.map(({ name }) => name)).toEqual(['first', 'second'])
    expect(config).toMatchObject({
      operations: 40,
      warmupMs: 0,
      failIf: [{ unit: 'ms' }, { metric: 'errors' }],
    })
    expect(config.workload).toMatchObject({ records: 70, mix: { read: 3, update: 1 }, values: { most: 20 } })
    expect(command).toContain('bench run --config bench.yaml')
  })

  test.each([
    ['recrods: 5', /unknown option 'recrods' in wrong\.yaml[^]*Did you mean --records/],
    ['records: many', /option 'records' in wrong\.yaml: 'many' is invalid/],
    ['- a list', /must hold options by name/],
    ['a: [', /is not YAML or JSON/],
    ['store: memory:\npreset: b', /at line 1, column 8\. Write it in quotes: "memory:"\.$/m],
    ['concurrency: true', /option 'concurrency' in wrong\.yaml needs a value/],
    [
      'store: "redis://:${UNIKV_TEST_NOT_SET}@h"',
      /environment variable UNIKV_TEST_NOT_SET, which is not set/,
    ],
    ['mix: {read: {a: 1}}', /mix in wrong.yaml must be a text, a number/],
    ['run: 1', /unknown option 'run' in wrong\.yaml/],
    ['check: yes', /'check' in wrong\.yaml, or one that takes no value: write true or false/],
    ['Recrods: 5', /unknown option 'recrods' in wrong\.yaml/],
    ['config: other.yaml', /wrong\.yaml names another configuration file/],
  ])('names what is wrong in the file: %s', async (text, message) => {
    await writeFile(join(root, 'wrong.yaml'), text)
    const { code, err } = await inProcess(['bench', 'run', '--config=wrong.yaml', '--out', 'no-such-result'])
    expect([code, message.test(err) ? 'told' : err]).toEqual([2, 'told'])
    expect(existsSync(join(root, 'no-such-result'))).toBe(false)
  })

  test('lets properties of the command line win, wherever --config stands', async () => {
    await writeFile(join(root, 'p.yaml'), 'property: [recordcount=11, operationcount=12]\nquiet: true\n')
    const few = ['--runs', '1', '--warmup', '0', '--store', 'memory:', '--json']
    const orders = [
      ['-p', 'recordcount=13', '--config', 'p.yaml'],
      ['--config', 'p.yaml', '-p', 'recordcount=13'],
    ]
    for (const order of orders) {
      const { out } = await inProcess(['bench', 'run', ...order, ...few, '--out', 'properties'])
      const { config } = JSON.parse(out) as ResultOf<'run'>
      expect([config.workload.records, config.operations]).toEqual([13, 12])
    }
  })

  test('refuses a file that is not there, and two files', async () => {
    const told = async (...args: string[]) => (await inProcess(['bench', 'run', ...args])).err
    expect(await told('--config', 'nowhere.yaml')).toContain('nowhere.yaml cannot be read (ENOENT)')
    expect(await told('--config', 'bench.yaml', '--config=bench.yaml')).toContain('--config was given twice')
  })
})
