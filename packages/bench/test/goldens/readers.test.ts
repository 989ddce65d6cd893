import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { rowsCsv } from '../../src/page/result-files.ts'
import { documentStudies, studies } from '../../src/studies/index.ts'
import { parseResult } from '../../src/study/result-file.ts'

const goldens = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'unikv-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The sum of the values of each file, and the number of its lines. */
type Sums = Readonly<Record<string, readonly [sum: number, count: number]>>

const files = await Promise.all(
  readdirSync(goldens)
    .filter((name) => name.endsWith('.json.gz'))
    .map(async (name) => {
      const golden = JSON.parse(gunzipSync(readFileSync(join(goldens, name))).toString())
      const study = await [...studies, ...documentStudies].find((one) => one.name === golden.study)!.load()
      const csv = rowsCsv(study.report.rows(parseResult(study, JSON.stringify(golden.result))))
      const file = name.replace('.json.gz', '.csv')
      writeFileSync(join(folder, file), csv)
      const values = csv
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => Number(line.split(',').at(-1)))
      return [file, [values.reduce((sum, one) => sum + one, 0), values.length]] as const
    }),
)
const expected: Sums = Object.fromEntries(files)

/** Ten digits: programs add in another order. */
function rounded(sums: Sums): Sums {
  return Object.fromEntries(
    Object.entries(sums).map(([name, [sum, count]]) => [name, [Number(sum.toPrecision(10)), count]]),
  )
}

test('pandas reads the rows of each study as they are', (context) => {
  const script = `
import glob, json, pandas as pd
found = {}
for name in glob.glob('*.csv'):
    rows = pd.read_csv(name)
    assert str(rows.value.dtype) in ('float64', 'int64'), name
    assert rows.store.notna().all() and rows.measure.notna().all() and rows.outcome.notna().all(), name
    assert not rows.drop(columns=['unit', 'value']).duplicated().any(), name
    found[name] = [float(rows.value.sum()), len(rows)]
print(json.dumps(found))`
  const python = ['python3', '/usr/bin/python3'].find(
    (one) => spawnSync(one, ['-c', 'import pandas']).status === 0,
  )
  if (python === undefined) return context.skip('Python has no pandas here')
  const { stdout, stderr } = spawnSync(python, ['-c', script], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(rounded(JSON.parse(stdout))).toEqual(rounded(expected))
})

test('gnuplot reads them likewise', (context) => {
  if (spawnSync('gnuplot', ['--version']).error !== undefined) return context.skip('gnuplot is not installed')
  const script = [
    'set datafile separator comma',
    'set datafile columnheaders',
    ...Object.keys(expected).map(
      (name) =>
        `stats '${name}' using (column('value')) nooutput; print sprintf('${name} %.17g %d', STATS_sum, STATS_records)`,
    ),
  ].join('\n')
  const { stderr } = spawnSync('gnuplot', { cwd: folder, encoding: 'utf8', input: `${script}\n` })
  const found = [...stderr.matchAll(/^(\S+\.csv) (\S+) (\d+)$/gm)].map(
    ([, name = '', sum, count]) => [name, [Number(sum), Number(count)]] as const,
  )
  expect(rounded(Object.fromEntries(found))).toEqual(rounded(expected))
})
