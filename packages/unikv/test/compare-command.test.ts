import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyResult } from '@unikv/bench'
import { beforeAll, describe, expect, test } from 'vitest'
import { KeptResults } from '../src/cli/bench/kept-results.ts'
import { benchRun, inProcess, root } from './command-line.ts'

const compare = (...args: string[]) => inProcess(['bench', 'compare', ...args])

beforeAll(async () => {
  for (const out of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
    expect((await benchRun('--store', 'memory:', '--quiet', '--out', out)).code).toBe(0)
})

describe('unikv bench compare', () => {
  test('compares result folders, and tells which is none', async () => {
    const { code, out } = await compare('a1', 'a2/')
    expect([code, out.split('\n')[0]]).toEqual([0, 'a1 and a2: means of runs'])
    expect(out).toMatch(/^all +ops\/s +[\d,.]+ +[\d,.]+ +– +– +too few runs$/m)
    expect(JSON.parse((await compare('a1', 'a2/result.json', '--json')).out)).toMatchObject([
      { differences: [], unit: 'moments' },
    ])
    const untold = await compare('a1', 'a2', '--fail-on-regression')
    expect([untold.code, untold.err.split(':')[1]]).toEqual([
      4,
      ' The results cannot tell whether something became slower',
    ])
    const twice = await compare('a1', 'a2', '--', 'b1', 'a1/')
    expect([twice.code, twice.err]).toEqual([
      2,
      expect.stringMatching(/^unikv: a1 is given twice \(run \w+\)/),
    ])
    const stored = ['bench', 'sizes', '--store', 'memory:', '--sizes', '10', '--operations', '10']
    expect((await inProcess([...stored, '--runs', '1', '--quiet', '--out', 'other'])).code).toBe(0)
    const other = await compare('a1', 'other')
    expect([other.code, other.err]).toEqual([
      2,
      'unikv: other/result.json is not a result of unikv bench run.\n',
    ])
    const wrong = [await compare('a1'), await compare('a1', 'missing')]
    expect(wrong.map((one) => [one.code, one.err.split(' (')[0]])).toEqual([
      [2, 'unikv: A comparison needs two results or more.\n'],
      [2, 'unikv: missing holds no result of unikv bench run'],
    ])
  })

  test('a name that looks like a tag is none in Markdown', async () => {
    const name = 'a</details>|<img src=x>'
    await cp(join(root, 'a1'), join(root, name), { recursive: true })
    const { code, out } = await compare('a1', name, '--markdown')
    expect(code).toBe(0)
    expect(out.match(/<(?!details>|summary>|\/summary>|\/details>\n)[a-z/]/g)).toBeNull()
    expect(out.match(/<\/details>/g)).toHaveLength(1)
    expect(out).toContain('| a&lt;/details>\\|&lt;img src=x> |')
  })

  test('takes several invocations a side, also in pairs', async () => {
    const sides = ['a1', 'a2', 'a3', '--', 'b1', 'b2', 'b3']
    const { code, out } = await compare('--json', ...sides)
    const found = JSON.parse(out)[0]
    expect([code, found.names, found.unit]).toEqual([0, ['base', 'new'], 'invocations'])
    expect(found.figures[0].comparison.runs).toEqual([3, 3])
    expect(JSON.parse((await compare('--json', '--in-turn', ...sides)).out)[0].unit).toBe('turns')
    const wrong = [
      ['--in-turn', 'a1', 'a2'],
      ['--in-turn', 'a1', 'a2', '--', 'b1'],
      ['a1', '--'],
    ]
    const told: string[] = []
    for (const args of wrong) told.push((await compare(...args)).err)
    expect(told).toEqual([
      'unikv: --in-turn is for invocations of two sides. Write them like A1 A2 A3 -- B1 B2 B3.\n',
      'unikv: --in-turn needs as many results of either side, not 2 and 1. Write them like A1 A2 A3 -- B1 B2 B3.\n',
      'unikv: A side has no result. Write them like A1 A2 A3 -- B1 B2 B3.\n',
    ])
  })

  test('takes a folder of results, or a store that keeps them, for a history', async () => {
    const result = JSON.parse(await readFile(join(root, 'a1', 'result.json'), 'utf8')) as AnyResult
    const place = `file:${root}/kept-history`
    const kept = await KeptResults.openToKeep(place)
    for (let day = 1; day <= 20; day++) {
      const one = {
        ...result,
        startedAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
        runId: `r${day}`,
      }
      await mkdir(join(root, 'history', one.runId), { recursive: true })
      await writeFile(join(root, 'history', one.runId, 'result.json'), JSON.stringify(one))
      await kept.keep(one)
    }
    await kept.close()
    for (const from of ['history', place]) {
      const { code, out, err } = await compare('--history', from, '--fail-on-regression')
      expect([code, out.split('\n')[0]], err).toEqual([0, '20 results, 2026-01-01 to 2026-01-20'])
      expect(out).toContain('· No figure changed.')
    }
    const few = await compare('--history', 'history/r1', 'history/r2', '--fail-on-regression')
    expect([few.code, few.err]).toEqual([4, expect.stringContaining('with 16 results or more')])
    const none = await compare('--history', root + '/kept-history')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('holds no folders with results')])
  })
})
