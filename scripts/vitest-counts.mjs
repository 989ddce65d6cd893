import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './workspaces.mjs'

/**
 * Adds up the JSON reports in a folder: `{ passed, failed, skipped, skips, reports }`; `skips` says which tests
 * were skipped. Tests that the embedded run leaves out on purpose do not count.
 */
export function vitestCounts(folder) {
  const reports = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const files = reports.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).testResults)
  const counts = { passed: 0, failed: 0, skipped: 0, skips: [], reports: reports.length }
  for (const file of files) countFile(file, counts)
  counts.skips = [...new Set(counts.skips)]
  return counts
}

/** As in packages/test-kit/src/vitest.ts. */
const leftOut = 'not part of the embedded run'

function countFile(file, counts) {
  const tests = file.assertionResults.filter(({ title }) => !title.includes(leftOut))
  const failed = tests.filter(({ status }) => status === 'failed').length
  const skipped = tests.filter(({ status }) => status !== 'failed' && status !== 'passed')
  counts.passed += tests.length - failed - skipped.length
  // A file can fail outside its tests: when it is loaded, or in a hook.
  counts.failed += file.status === 'failed' ? Math.max(failed, 1) : failed
  counts.skipped += skipped.length
  counts.skips.push(
    ...skipped.map(({ fullName }) => `${relative(root, file.name)}: ${fullName.replace(': SKIPPED,', ':')}`),
  )
}
