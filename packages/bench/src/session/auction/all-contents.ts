import { inParallel } from '@unikv/core/adapter'
import type { AuctionData, BuyerContents, SellerContents } from './contents.ts'

/** The users that a check begins with. */
export interface CheckedUsers {
  readonly first: number
  readonly count: number
}

/** Everything that some users sell, and everything that they have bid and bought. */
export interface AllContents {
  readonly sellers: readonly SellerContents[]
  readonly buyers: readonly BuyerContents[]
}

/** Users that are read at the same time. */
const width = 8

/** Read these users, and all others that they deal with: users that came in a run have any numbers. */
export async function allContents<Db>(
  db: Db,
  data: AuctionData<Db>,
  { first, count }: CheckedUsers,
): Promise<AllContents> {
  const sellers: SellerContents[] = []
  const buyers: BuyerContents[] = []
  let found: readonly number[] = Array.from({ length: count }, (_, index) => first + index)
  for (const known = new Set<number>(); found.length > 0; ) {
    for (const id of found) known.add(id)
    const sold = await inParallel(found, width, (id) => data.bySeller(db, id))
    const bought = await inParallel(found, width, (id) => data.byBuyer(db, id))
    sellers.push(...sold)
    buyers.push(...bought)
    const others = new Set([...sold.flatMap(buyersOf), ...bought.flatMap(sellersOf)])
    found = [...others].filter((id) => !known.has(id))
  }
  return { sellers, buyers }
}

function buyersOf({ auctions, sales }: SellerContents): readonly number[] {
  return [
    ...auctions.flatMap(({ bids }) => bids.map(({ userId }) => userId)),
    ...auctions.flatMap(({ purchases }) => purchases.map(({ buyerId }) => buyerId)),
    ...sales.flatMap(({ purchases }) => purchases.map(({ buyerId }) => buyerId)),
  ]
}

function sellersOf({ bids, auctions, sales }: BuyerContents): readonly number[] {
  return [...bids, ...auctions, ...sales].map(({ sellerId }) => sellerId)
}
