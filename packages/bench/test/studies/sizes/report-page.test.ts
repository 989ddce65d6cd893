import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Cell } from '../../../src/cube/cell.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { costsOf, fullLatency } from '../../../src/studies/sizes/hit-rate.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { fixtureResult } from './fixture-result.ts'

const { report } = sizes
const result = fixtureResult()
const files = resultFiles(sizes, result)

describe('report.html', () => {
  const page = files.get('report.html')!

  test('needs nothing but itself: no script, no request, no style from elsewhere', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:\/\//)
  })

  test('has a labelled plot and a table for every figure', () => {
    const all = report.figures(result)
    expect(page.match(/<svg viewBox="0 0 760/g)).toHaveLength(all.length)
    expect(page.match(/<figure /g)).toHaveLength(all.length)
    for (const { title, yLabel } of all)
      expect(page).toContain(`aria-label="${title}: ${yLabel} by object size`)
    expect(page.match(/object size \(bytes, log scale\)/g)).toHaveLength(all.length)
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/)
  })

  test('is drawn for phones as well, in text that does not shrink', () => {
    const phone = page.match(/<svg viewBox="0 0 340 320"/g)
    expect(phone).toHaveLength(report.figures(result).length)
    expect(page).toMatch(/@media \(max-width: 640px\)[^@]*\.on-wide { display: none }/)
  })

  test('says where numbers come from: servers, settings, the paper and the command', () => {
    expect(page).toContain('version 7.0.15')
    expect(page).toContain('Providing Enhanced Functionality for Data Store Clients')
    expect(page).toContain('<code>npx unikv bench sizes --store disk=file:./d</code>')
    expect(page).toContain('16 GiB memory')
  })

  test('draws solid what a hit rate really costs, and dotted what the paper assumes', () => {
    for (const { series, group, title } of report.figures(result)) {
      if (group !== 'cache') continue
      const [store = '', cache = ''] = title.split(' behind ')
      const costs = costsOf(new Cell(result.rows, {}).at({ store, cache, size: 100 }))
      const solid = series.filter(({ style }) => style === 'line')
      const drawn = solid.map(({ table, column }) => table.rows[0]![column])
      expect(drawn).toEqual(result.config.hitRates.map((rate) => fullLatency(rate, costs)))
      expect(
        series.filter(({ style }) => style === 'thin').every(({ name }) => name.endsWith('as in the paper')),
      ).toBe(true)
    }
  })

  test('opens and closes every element', () => {
    const open: string[] = []
    const empty = new Set(['meta', 'path', 'rect', 'circle', 'br'])
    for (const [, close, name, selfClosed] of page.matchAll(/<(\/?)([a-z][a-z\d]*)\b[^>]*?(\/?)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name)
      else if (selfClosed !== '/' && !empty.has(name!)) open.push(name!)
    }
    expect(open).toEqual([])
  })

  test('shows what came from outside as text', () => {
    const evil = { ...result, data: { ...result.data, description: '<script>alert(1)</script>' } }
    const shown = resultFiles(sizes, evil).get('report.html')!
    expect(shown).not.toContain('<script>')
    expect(shown).toContain('&lt;script&gt;')
    expect(shown).toContain('A &amp; B')
  })
})

describe('plots.gp', () => {
  test('draws every figure with gnuplot', async (context) => {
    if (spawnSync('gnuplot', ['--version']).error !== undefined) {
      console.warn('SKIPPED: gnuplot is not installed, plots.gp was not run')
      context.skip()
    }
    for (const one of [result, fixtureResult({ runs: 1 })]) {
      const folder = await mkdtemp(join(tmpdir(), 'unikv-plots-'))
      for (const [name, content] of resultFiles(sizes, one)) await writeFile(join(folder, name), content)
      const { status, stderr } = spawnSync('gnuplot', ['plots.gp'], { cwd: folder, encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      for (const { id } of report.figures(one))
        expect((await stat(join(folder, `${id}.svg`))).size).toBeGreaterThan(3_000)
      await rm(folder, { recursive: true })
    }
  })
})
