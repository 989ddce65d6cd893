import { existsSync, readFileSync } from 'node:fs'

/** Prints what a test wrote, as it is. */
export function printLines(file) {
  if (existsSync(file)) console.log(readFileSync(file, 'utf8'))
}

/** Prints what `networkFaults` did, store by store, from the file that its tests wrote (a line of JSON each). */
export function printNetworkCounts(file) {
  const rows = [...byStore(file)].map(([store, tests]) => ({
    store,
    tests: tests.length,
    'lost replies': sum(tests, 'lostReplies'),
    'timed calls': sum(tests, 'timedCalls'),
    'latest ms after the deadline': Math.max(...tests.map(({ latestMs }) => Math.ceil(latestMs))),
  }))
  console.table(rows)
  console.log(`${sum(rows, 'lost replies')} lost replies in all`)
}

/** Prints how the operations of the judged histories ended, store by store, from the same kind of file. */
export function printHistoryCounts(file) {
  const rows = [...byStore(file)].map(([store, runs]) => ({
    store,
    histories: sum(runs, 'histories'),
    operations: sum(runs, 'operations'),
    ...summed(runs.map(({ ends }) => ends)),
    faults: runs.reduce((all, { faults }) => all + sum(Object.values(faults)), 0),
  }))
  console.table(rows)
  console.log(`${sum(rows, 'operations')} operations judged linearizable in all`)
}

/** Prints what revalidations and hits moved, store by store: bytes of the request and of the answer. */
export function printTrafficCounts(file) {
  const calls = ['known here', 'from elsewhere', 'stale entry', 'changed', 'hits']
  const rows = [...byStore(file)].map(([store, counted]) => {
    const found = calls.map((call) => [call, counted.find((one) => one.call === call)])
    const cells = found.map(([call, one]) => [
      call,
      one && `${one.requestBytes} + ${one.responseBytes} (${one.roundTrips})`,
    ])
    return { store, ...Object.fromEntries(cells) }
  })
  console.table(rows.toSorted((a, b) => (a.store < b.store ? -1 : 1)))
}

function byStore(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const stores = new Map()
  for (const counts of lines.map((line) => JSON.parse(line)))
    stores.set(counts.store, [...(stores.get(counts.store) ?? []), counts])
  return stores
}

/** The sum of the numbers, or of the fields of this name in the objects. */
function sum(all, name) {
  return all.reduce((total, one) => total + (name === undefined ? one : one[name]), 0)
}

function summed(all) {
  const totals = {}
  for (const one of all)
    for (const [name, count] of Object.entries(one)) totals[name] = (totals[name] ?? 0) + count
  return totals
}
