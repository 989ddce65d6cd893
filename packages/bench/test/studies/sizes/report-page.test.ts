import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resultFiles } from '../../../src/page/result-files.ts'
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
