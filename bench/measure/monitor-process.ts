import { entrants, roundOf } from './monitor-entrants.ts'

// One entrant of `monitor`, in a process of its own: makes it, then measures a round whenever it is told to.

const make = entrants[process.argv[2] ?? '']
if (make === undefined) throw new Error(`No entrant ${process.argv[2]}.`)
const get = await make()
process.on('message', () => {
  void roundOf(get).then((round) => process.send?.(round))
})
process.send?.('ready')
