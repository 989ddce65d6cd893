import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'

/** One Wycheproof test, as far as these tests read it. */
export interface Vector {
  readonly tcId: number
  readonly comment: string
  readonly result: 'valid' | 'invalid' | 'acceptable'
  readonly [field: string]: unknown
}

interface VectorFile {
  readonly testGroups: readonly { readonly tests: readonly Vector[]; readonly [field: string]: unknown }[]
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..')
const shared = process.env['UNIKV_SHARED'] ?? join(root, '../shared')

/** Test with a file of Wycheproof vectors; skipped loudly where the file is not. */
export function testVectors(title: string, file: string, run: (vectors: readonly Vector[]) => void): void {
  const path = join(shared, 'vectors', file)
  if (!existsSync(path)) {
    test.skip(`${title}: SKIPPED, ${file} is not beside the clone (set UNIKV_SHARED)`, () => {})
    return
  }
  test(title, () => run(vectorsOf(path)))
}

/** Each test with the fields of its group. */
function vectorsOf(path: string): readonly Vector[] {
  const { testGroups } = JSON.parse(readFileSync(path, 'utf8')) as VectorFile
  return testGroups.flatMap(({ tests, ...group }) => tests.map((vector) => ({ ...group, ...vector })))
}
