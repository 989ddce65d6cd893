import { type Entrant, entrants, roundOf } from './cache-hit-entrants.ts'

// One entrant of `cache-hit`, in a process of its own: makes it, then measures a round whenever it is told to.

const make = entrants[process.argv[2] ?? '']
if (make === undefined) throw new Error(`No entrant ${process.argv[2]}.`)
const entrant: Entrant = await make()
process.on('message', () => {
  void roundOf(entrant).then((round) => process.send?.(round))
})
process.send?.(entrant.sharing)
