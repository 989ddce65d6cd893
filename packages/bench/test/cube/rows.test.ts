import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rowSchema } from '../../src/cube/row.ts'
import type { DrivenResult } from '../../src/driven/result.ts'
import { drivenRows } from '../../src/driven/rows.ts'
import { rowsCsv, rowsJson, rowsJsonSchema } from '../../src/page/result-files.ts'
import { documentStudies, studies } from '../../src/studies/index.ts'
import { parseResult } from '../../src/study/result-file.ts'

const folder = fileURLToPath(new URL('../goldens/', import.meta.url))

interface Golden {
  readonly study: string
  readonly result: DrivenResult & { readonly stores: readonly { readonly name: string }[] }
}

/** A result that was measured, with several stores, runs and operations. */
function goldenOf(file: string): Golden {
  return JSON.parse(gunzipSync(readFileSync(`${folder}${file}`)).toString())
}

/** Lines of a file of rows, by the names of their columns. */
function linesOf(csv: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = csv.trimEnd().split('\r\n')
  const names = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i] ?? '', cell])))
}

test.each(['run', 'rate', 'replay', 'session'])(
  '%s: the figures of its report follow from the rows',
  (name) => {
    const { result } = goldenOf(`${name}.json.gz`)
    const rows = drivenRows(result)
    expect(rows.map((row) => rowSchema.parse(row))).toEqual(rows)
    const lines = linesOf(rowsCsv(rows))
    for (const { store, phase, rate, operations, runs } of result.targets) {
      const own = lines.filter(
        (line) => line['store'] === store && (phase === null || line['phase'] === phase),
      )
      const sum = (run: number, measure: string, statistic: string, outcomes: string[]): number =>
        own
          .filter((line) => line['run'] === String(run) && line['measure'] === measure)
          .filter((line) => line['statistic'] === statistic && outcomes.includes(line['outcome'] ?? ''))
          .reduce((all, line) => all + Number(line['value']), 0)
      const rates = runs.map(({ run }) => {
        const inTime = sum(run, 'service', 'count', ['success']) - sum(run, 'late', '', ['success'])
        return (inTime * 1000) / sum(run, 'counted', '', ['success'])
      })
      expect(rates.map((one) => one.toPrecision(9))).toEqual(rate.runs.map((one) => one.toPrecision(9)))
      for (const operation of operations) {
        const means = own.filter(
          (line) =>
            line['operation'] === operation.name &&
            line['outcome'] === (operation.outcome ?? 'success') &&
            line['measure'] === 'service' &&
            line['statistic'] === 'mean',
        )
        expect(means.map((line) => Number(line['value']))).toEqual(operation.service.meanMs.runs)
      }
    }
  },
)

const goldens = readdirSync(folder).filter((name) => name.endsWith('.json.gz'))

test('rows.json has a documented schema, and that of every study keeps to it', async () => {
  for (const file of goldens) {
    const { study: name, result } = goldenOf(file)
    const study = await [...studies, ...documentStudies].find((one) => one.name === name)?.load()
    if (study === undefined) expect.unreachable()
    const whole = parseResult(study, JSON.stringify(result))
    const written = rowsJsonSchema.parse(JSON.parse(rowsJson(study, whole)))
    expect(written).toMatchObject({ study: name, runId: whole.runId })
    // A matcher takes seconds for so many rows.
    expect(
      isDeepStrictEqual((written as { rows: unknown }).rows, jsonOf(study.report.rows(whole))),
      file,
    ).toBe(true)
  }
  const schema = `${JSON.stringify(z.toJSONSchema(rowsJsonSchema), null, 2)}\n`
  await expect(schema).toMatchFileSnapshot('../../../../docs/reference/rows.schema.json')
})

test.each(goldens)('%s: each row is another one, and tells of a store that was measured', async (file) => {
  const { study: name, result } = goldenOf(file)
  const study = await [...studies, ...documentStudies].find((one) => one.name === name)?.load()
  const rows = study?.report.rows(parseResult(study, JSON.stringify(result))) ?? []
  expect(rows.length).toBeGreaterThan(0)
  const stores = new Set(result.stores.map((store) => store.name))
  for (const row of rows) rowSchema.parse(row)
  expect(new Set(rows.map(({ store }) => store))).toEqual(new Set([...stores, ...withEncodings(name)]))
  const places = rows.map(({ value: _, unit: __, ...place }) => JSON.stringify(place))
  const seen = new Set<string>()
  expect(places.filter((place) => seen.size === seen.add(place).size)).toEqual([])
  const [head = '', ...lines] = rowsCsv(rows).trimEnd().split('\r\n')
  const columns = head.split(',').length
  expect(lines.filter((line) => line.split(',').length !== columns)).toEqual([])
})

function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Encodings are measured over a store that costs nothing. */
function withEncodings(study: string): readonly string[] {
  return study === 'sizes' ? ['none'] : []
}

test('a name with commas and quotes stays one cell, and a dimension that says nothing an empty one', () => {
  const row = { run: 1, measure: 'elapsed', unit: 'ms', outcome: 'success', value: 1.5 } as const
  const csv = rowsCsv([
    { ...row, store: 'a "b", c', dimensions: { callers: 8 } },
    { ...row, store: 'd', dimensions: {} },
  ])
  expect(csv).toBe(
    'store,callers,run,outcome,measure,statistic,unit,value\r\n"a ""b"", c",8,1,success,elapsed,,ms,1.5\r\nd,,1,success,elapsed,,ms,1.5\r\n',
  )
})
