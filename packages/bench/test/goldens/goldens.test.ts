import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { resultFiles } from '../../src/page/result-files.ts'
import { markdownReport, textReport } from '../../src/page/text-report.ts'
import { documentStudies, studies } from '../../src/studies/index.ts'
import { parseResult } from '../../src/study/result-file.ts'

/**
 * A result of each study and all that was made of it on 29 November 2026, on memory, file, LMDB and Redis: the figures that stay
 * the same while the form of results changes (record 0107).
 */
interface Golden {
  readonly study: string
  readonly result: object
  readonly text: string
  readonly markdown: string
  /** Contents by the name of the file; `result.json` is left out. */
  readonly files: Readonly<Record<string, string>>
}

const folder = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.json.gz'))

test('every study has one', () => {
  const kept = new Set(names.map((name) => goldenOf(name).study))
  expect([...kept].toSorted()).toEqual([...studies, ...documentStudies].map(({ name }) => name).toSorted())
})

test.each(names)('%s: the same report, page, columns and plots', async (name) => {
  const golden = goldenOf(name)
  const study = await [...studies, ...documentStudies].find((one) => one.name === golden.study)?.load()
  if (study === undefined) return expect.unreachable()
  const result = parseResult(study, JSON.stringify(golden.result))
  expect(textReport(study, result)).toBe(golden.text)
  expect(markdownReport(study, result)).toBe(golden.markdown)
  // Rows have tests of their own.
  const files = [...resultFiles(study, result)].filter(
    ([file]) => !['result.json', 'rows.csv', 'rows.json'].includes(file),
  )
  expect(Object.fromEntries(files)).toEqual(golden.files)
})

function goldenOf(name: string): Golden {
  return JSON.parse(gunzipSync(readFileSync(`${folder}${name}`)).toString()) as Golden
}
