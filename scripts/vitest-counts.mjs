import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './workspaces.mjs'

/**
 * Adds up the JSON reports in a folder: `{ passed, failed, skipped, skips, failures, reports }`; `skips` says which
 * tests were skipped, `failures` which failed, with the first line of why. Tests that the embedded run leaves out on
 * purpose do not count.
 */
export function vitestCounts(folder) {
  const reports = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const files = reports.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).testResults)
  const counts = { passed: 0, failed: 0, skipped: 0, skips: [], failures: [], reports: reports.length }
  for (const file of files) countFile(file, counts)
  counts.skips = [...new Set(counts.skips)]
  return counts
}

/** As in packages/test-kit/src/describe-with.ts. */
const leftOut = 'not part of the embedded run'

function countFile(file, counts) {
  const tests = file.assertionResults.filter(({ title }) => !title.includes(leftOut))
  const failed = tests.filter(({ status }) => status === 'failed')
  const skipped = tests.filter(({ status }) => status !== 'failed' && status !== 'passed')
  const path = relative(root, file.name)
  counts.passed += tests.length - failed.length - skipped.length
  counts.skipped += skipped.length
  counts.skips.push(...skipped.map(({ fullName }) => `${path}: ${fullName.replace(': SKIPPED,', ':')}`))
  counts.failures.push(
    ...failed.map(
      ({ fullName, failureMessages }) => `${path}: ${fullName}: ${firstLine(failureMessages[0])}`,
    ),
  )
  // A file can fail outside its tests: when it is loaded, or in a hook.
  if (file.status === 'failed' && failed.length === 0)
    counts.failures.push(`${path}: ${firstLine(file.message)}`)
  counts.failed = counts.failures.length
}

const firstLine = (text = '') => text.split('\n')[0].slice(0, 300)
