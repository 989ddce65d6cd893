import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyResult } from '@unikv/bench'
import type { ResultOf } from '@unikv/bench/studies'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { KeptResults } from '../src/cli/bench/kept-results.ts'
import { benchRun, inProcess, root, typed } from './command-line.ts'

test('unikv bench report makes a page again, and refuses a folder without a result', async () => {
  await benchRun('--store', 'memory:', '--quiet', '--out', 'again')
  const page = join(root, 'again', 'report.html')
  const before = await readFile(page, 'utf8')
  await writeFile(page, 'old')
  const { code, out } = await inProcess(['bench', 'report', 'again'])
  expect([code, out, await readFile(page, 'utf8')]).toEqual([0, 'Report: again/report.html\n', before])
  // A command with many stores moves the other fields down.
  const result = join(root, 'again', 'result.json')
  const { command, ...others } = JSON.parse(await readFile(result, 'utf8'))
  await writeFile(result, JSON.stringify({ command: `${command} ${'x'.repeat(2_000)}`, ...others }))
  expect(await inProcess(['bench', 'report', 'again'])).toMatchObject({ code: 0, err: '' })
  const wrong = await inProcess(['bench', 'report', 'nowhere'])
  expect([wrong.code, wrong.err.split(' (')[0]]).toEqual([
    2,
    'unikv: nowhere holds no result of unikv bench load, run, sweep, replay, sizes, deltas, overhead, consistency, evaluate, session',
  ])
})

test('unikv bench report makes one page of several results, and leaves them alone', async () => {
  for (const [out, seed] of [
    ['j1', '42'],
    ['j2', '42'],
    ['j3', '7'],
  ] as const)
    await benchRun('--store', 'memory:', '--quiet', '--out', out, '--seed', seed)
  const { code, out, err } = await inProcess(['bench', 'report', 'j1', 'j2', 'j3', '--out', 'joined'])
  expect([code, out], err).toEqual([0, 'Report: joined/report.html\n'])
  const page = await readFile(join(root, 'joined', 'report.html'), 'utf8')
  for (const text of ['memory j1 · read', 'memory j2 · read', 'memory j3 · update', 'of 3 results of'])
    expect(page).toContain(text)
  expect(page).toContain('Not measured alike: seed (42 and 7).')
  expect(existsSync(join(root, 'joined', 'result.json'))).toBe(false)
  const phases = '[{"name":"x"},{"name":"y"}]'
  await benchRun('--store', 'memory:', '--quiet', '--out', 'j4', '--phases', phases)
  const mixed = await inProcess(['bench', 'report', 'j1', 'j4', '--out', 'mixed'])
  expect(mixed.code, mixed.err).toBe(0)
  expect(await readFile(join(root, 'mixed', 'report.html'), 'utf8')).toContain(
    'Not compared: j4 has no successful read.',
  )
  const refused = async (...places: string[]) => {
    const wrong = await inProcess(['bench', 'report', ...places])
    return `${wrong.code} ${wrong.err}`
  }
  expect(await refused('j1', 'j2', '--out', 'j3')).toBe(
    '2 unikv: j3 holds a result. Name another folder for the page of several.\n',
  )
  for (const [again, told] of [
    ['j1', 'j1 is given twice'],
    ['./j1', 'j1 and ./j1 are the same result'],
  ] as const)
    expect(await refused('j1', 'j2', again, '--out', 'j5')).toMatch(`2 unikv: ${told} (run `)
})

describe('unikv bench run --results', () => {
  test('keeps results in a store, where compare and report find them by name, or the newest', async () => {
    const place = `file:${root}/kept`
    const kept = async (name: string, out: string) => {
      const { code, out: text } = await benchRun(
        '--store',
        'memory:',
        '--out',
        out,
        '--results',
        place + name,
      )
      expect(code).toBe(0)
      return /^Kept: (.*)$/m.exec(text)?.[1]
    }
    expect(await kept('#base', 'k1')).toBe(`${place}#base`)
    const { code } = await inProcess(['bench', 'compare', `${place}#base`, 'k1'])
    expect(code).toBe(0)
    const second = (await kept('', 'k2')) as string
    const newest = await inProcess(['bench', 'report', place, '--out', 'again'])
    expect([newest.code, newest.out]).toEqual([0, `Report: again/report.html\n`])
    const [again, own] = await Promise.all(
      ['again', 'k2'].map(
        async (folder) =>
          JSON.parse(await readFile(join(root, folder, 'result.json'), 'utf8')) as ResultOf<'run'>,
      ),
    )
    expect(again).toEqual(own)
    expect(second).toBe(`${place}#${own?.runId}`)
  })

  test('gives the name of a baseline only to a run that can be compared', async () => {
    const kept = await KeptResults.openToKeep(`file:${root}/kept3#a?b`)
    const result = { runId: 'r1', status: 'complete' } as AnyResult
    expect(await kept.keep(result)).toBe(`file:${root}/kept3#a?b`)
    expect(await kept.keep({ ...result, status: 'interrupted' })).toBe(`file:${root}/kept3#r1`)
    expect(JSON.parse(await kept.text())).toEqual(result)
    await kept.close()
  })

  test('finds before the run that a store takes nothing, and tells of damaged and newer results', async () => {
    const nowhere = ['--results', 'file:/proc/nowhere', '--out', 'never']
    expect(await benchRun('--store', 'memory:', ...nowhere)).toMatchObject({ code: 1, out: '' })
    const all = keyValue(open(`file:${root}/kept4?dataset=unikv_results`)).namespace('unikv.results')
    await all.set('result torn', Buffer.from('torn'))
    await all.close()
    expect((await inProcess(['bench', 'compare', 'file:./kept4#torn', 'k1'])).err).toContain(
      "'torn' of file:./kept4 is damaged",
    )
    await mkdir(join(root, 'newer'))
    const newer = { format: 'unikv.bench-run', formatVersion: 99 }
    await writeFile(join(root, 'newer', 'result.json'), JSON.stringify(newer))
    expect((await inProcess(['bench', 'compare', 'newer', 'k1'])).err).toContain(
      'has version 99 of its format',
    )
  })

  test.each([
    ['run --store memory: --results ./folder', /--results '.\/folder' is not the URL of a store/],
    ['run --store memory: --results memory:', /would be gone with this process/],
    ['report file:./kept2#no --out x', /holds no result with the name 'no'/],
    ['report file:./kept2 --out x', /file:.\/kept2 holds no result/],
    ['report file:./kept2', /bench report URL --out DIR/],
    ['report k1 --out x', /the page of one folder is made where it lies/],
  ])('refuses %j before it measures or writes anything', async (args, message) => {
    const { code, err } = await inProcess(['bench', ...typed(args)])
    expect([code, message.test(err)]).toEqual([2, true])
    expect(existsSync(join(root, 'x'))).toBe(false)
  })
})
