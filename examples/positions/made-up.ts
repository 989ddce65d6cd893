import { portableRandom } from '@unikv/bench/statistics'
import { earthKm, type Place, type Position } from './sphere.ts'

/** So many places have most of the traffic around them. */
const airports = 200
const spreadKm = 300
/** In one step: some 8 s of a flight. */
const stepKm = 2
const kmInDegree: number = (earthKm * Math.PI) / 180

/** Made-up flights around airports, the same for the same seed. */
export class Flights {
  readonly airports: readonly Place[]
  readonly #random: () => number
  readonly #flights: Position[]

  constructor(seed: number, count: number) {
    const random = portableRandom(seed)
    this.#random = () => random.next()
    this.airports = Array.from({ length: airports }, () => ({
      lat: this.#between(-70, 70),
      lon: this.#between(-180, 180),
    }))
    this.#flights = Array.from({ length: count }, (_, i) => {
      const airport = this.airports[i % airports] as Place
      const far = spreadKm * Math.sqrt(this.#random())
      return { id: `flight-${i}`, at: 0, ...this.#moved(airport, far) }
    })
  }

  /** Where all of them are. */
  get all(): readonly Position[] {
    return this.#flights
  }

  /** One of them flies on. */
  next(at: number): Position {
    const i = Math.floor(this.#random() * this.#flights.length)
    const before = this.#flights[i] as Position
    const moved: Position = { id: before.id, at, ...this.#moved(before, stepKm) }
    this.#flights[i] = moved
    return moved
  }

  anyAirport(): Place {
    return this.airports[Math.floor(this.#random() * airports)] as Place
  }

  #moved({ lat, lon }: Place, km: number): Place {
    const course = this.#between(0, 2 * Math.PI)
    const north = Math.min(89, Math.max(-89, lat + (Math.cos(course) * km) / kmInDegree))
    const wide = kmInDegree * Math.cos((north * Math.PI) / 180)
    const east = lon + (Math.sin(course) * km) / wide
    return { lat: north, lon: ((east + 540) % 360) - 180 }
  }

  #between(low: number, high: number): number {
    return low + this.#random() * (high - low)
  }
}
