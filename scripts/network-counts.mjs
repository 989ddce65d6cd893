import { existsSync, readFileSync } from 'node:fs'

/** Prints what `networkFaults` did, store by store, from the file that its tests wrote (a line of JSON each). */
export function printNetworkCounts(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const stores = grouped(lines.map((line) => JSON.parse(line)))
  const rows = [...stores].map(([store, tests]) => ({
    store,
    tests: tests.length,
    'lost replies': sum(tests, 'lostReplies'),
    'timed calls': sum(tests, 'timedCalls'),
    'latest ms after the deadline': Math.max(...tests.map(({ latestMs }) => Math.ceil(latestMs))),
  }))
  console.table(rows)
  console.log(`${rows.reduce((all, row) => all + row['lost replies'], 0)} lost replies in all`)
}

function grouped(tests) {
  const stores = new Map()
  for (const test of tests) stores.set(test.store, [...(stores.get(test.store) ?? []), test])
  return stores
}

function sum(tests, name) {
  return tests.reduce((all, test) => all + test[name], 0)
}
