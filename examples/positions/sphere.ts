/** A place on the earth, in degrees. */
export interface Place {
  readonly lat: number
  readonly lon: number
}

/** Where something was at a time. */
export interface Position extends Place {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A position, and how far it is from what was asked for. */
export interface Near extends Position {
  readonly km: number
}

export const earthKm = 6371.0088
const degree: number = Math.PI / 180

/** Great-circle distance. */
export function kmBetween(a: Place, b: Place): number {
  const [north, east] = [(b.lat - a.lat) * degree, (b.lon - a.lon) * degree]
  const half =
    Math.sin(north / 2) ** 2 + Math.cos(a.lat * degree) * Math.cos(b.lat * degree) * Math.sin(east / 2) ** 2
  return 2 * earthKm * Math.asin(Math.min(1, Math.sqrt(half)))
}

/** The nearest of some positions. The later of two of the same thing counts: it was on its way. */
export function nearestOf(
  positions: Iterable<Position>,
  place: Place,
  { most, withinKm }: { readonly most: number; readonly withinKm: number },
): readonly Near[] {
  const latest = new Map<string, Position>()
  for (const position of positions)
    if ((latest.get(position.id)?.at ?? -1) < position.at) latest.set(position.id, position)
  return Array.from(latest.values(), (position) => ({ ...position, km: kmBetween(place, position) }))
    .filter(({ km }) => km <= withinKm)
    .toSorted((a, b) => a.km - b.km || (a.id < b.id ? -1 : 1))
    .slice(0, most)
}

/** South, north, west and east of all places within a distance; a pole lies within it: every longitude does. */
export function boundsAround({ lat, lon }: Place, km: number): readonly [number, number, number, number] {
  const high = km / earthKm / degree
  const [south, north] = [Math.max(-90, lat - high), Math.min(90, lat + high)]
  if (south === -90 || north === 90) return [south, north, -180, 180]
  const wide = Math.asin(Math.sin(km / earthKm) / Math.cos(lat * degree)) / degree
  return [south, north, lon - wide, lon + wide]
}
