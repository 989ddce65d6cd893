import { inParallel } from '@unikv/core/adapter'
import type { AuctionContents, AuctionData, BuyerContents, SaleContents, SellerContents } from './contents.ts'
import { type ItemId, sold } from './rows.ts'

/** How much a check of all data has read, and what is wrong. */
export interface AuctionCheck {
  readonly auctions: number
  readonly bids: number
  readonly sales: number
  readonly purchases: number
  /** A sentence for each thing that is wrong; empty for consistent data. */
  readonly problems: readonly string[]
}

/**
 * Read everything, and tell what is wrong: each item's maximum bid is that of its bids, an item was sold once and at its price, no quantity is below
 * zero and none is missing, and the indexes by user find exactly what hangs on the items. No session runs meanwhile.
 *
 * @param users those that were there from the start; new ones are found by what they sold, bid and bought among them; one without dealings is
 *   found only if it is among these
 */
export async function checkAuction<Db>(
  db: Db,
  data: AuctionData<Db>,
  users: { readonly first: number; readonly count: number },
): Promise<AuctionCheck> {
  const { sellers, buyers } = await allContents(db, data, users)
  const auctions = sellers.flatMap((seller) => seller.auctions)
  const sales = sellers.flatMap((seller) => seller.sales)
  const bids = auctions.flatMap((one) => one.bids)
  const bought = auctions.flatMap((one) => one.purchases)
  const purchased = sales.flatMap((one) => one.purchases)
  return {
    auctions: auctions.length,
    bids: bids.length,
    sales: sales.length,
    purchases: bought.length + purchased.length,
    problems: [
      ...auctions.flatMap(auctionProblems),
      ...sales.flatMap(saleProblems),
      ...differences(
        'bid',
        bids,
        buyers.flatMap((one) => one.bids),
      ),
      ...differences(
        'purchase of an auction item',
        bought,
        buyers.flatMap((one) => one.auctions),
      ),
      ...differences(
        'purchase of a sale item',
        purchased,
        buyers.flatMap((one) => one.sales),
      ),
    ],
  }
}

/** Read these users, and all others that they deal with: users that came in a run have any numbers. */
async function allContents<Db>(
  db: Db,
  data: AuctionData<Db>,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<{ readonly sellers: readonly SellerContents[]; readonly buyers: readonly BuyerContents[] }> {
  const sellers: SellerContents[] = []
  const buyers: BuyerContents[] = []
  const known = new Set<number>()
  let found = Array.from({ length: count }, (_, index) => first + index)
  while (found.length > 0) {
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

/** Users that are read at the same time. */
const width = 8

function buyersOf({ auctions, sales }: SellerContents): readonly number[] {
  const bids = auctions.flatMap((one) => one.bids)
  const purchases = [...auctions, ...sales].flatMap(
    (one): readonly { readonly buyerId: number }[] => one.purchases,
  )
  return [...bids.map(({ userId }) => userId), ...purchases.map(({ buyerId }) => buyerId)]
}

function sellersOf({ bids, auctions, sales }: BuyerContents): readonly number[] {
  return [...bids, ...auctions, ...sales].map(({ sellerId }) => sellerId)
}

/** Sentences about an item on auction. */
function auctionProblems({ item, bids, purchases }: AuctionContents): readonly string[] {
  const whose = `Auction item ${named(item)}`
  const amounts = bids.map(({ amount }) => amount)
  const highest = Math.max(item.initialBid, ...amounts)
  const problems: string[] = []
  if (new Set(amounts).size < amounts.length) problems.push(`${whose} has two bids of the same amount.`)
  if (amounts.some((amount) => amount <= item.initialBid))
    problems.push(`${whose} has a bid that is not above the initial one.`)
  if (item.maxBid === sold) {
    if (purchases.length !== 1) problems.push(`${whose} is sold, and has ${purchases.length} purchases.`)
    const wrong = purchases.find(({ amount }) => amount !== item.buyNow)
    if (wrong !== undefined)
      problems.push(`${whose} was sold at ${wrong.amount}, but its price is ${item.buyNow}.`)
  } else {
    if (purchases.length > 0) problems.push(`${whose} is not sold, but has ${purchases.length} purchases.`)
    if (item.maxBid !== highest)
      problems.push(`${whose} has the maximum bid ${item.maxBid}, but its bids have ${highest}.`)
  }
  return problems
}

/** Sentences about an item on sale. */
function saleProblems({ item, purchases }: SaleContents): readonly string[] {
  const whose = `Sale item ${named(item)}`
  const bought = purchases.reduce((sum, { quantity }) => sum + quantity, 0)
  const problems: string[] = []
  if (item.quantity < 0) problems.push(`${whose} has the quantity ${item.quantity}.`)
  if (item.offered - bought !== item.quantity)
    problems.push(`${whose} has ${item.quantity} left of ${item.offered}, but ${bought} were bought.`)
  return problems
}

/** The indexes by user must find exactly what hangs on the items. */
function differences(
  what: string,
  onItems: readonly object[],
  byUsers: readonly object[],
): readonly string[] {
  const there = new Set(onItems.map(sorted))
  const found = new Set(byUsers.map(sorted))
  const twice = byUsers.length - found.size
  return [
    ...[...there].filter((one) => !found.has(one)).map((one) => `No index by user finds the ${what} ${one}.`),
    ...[...found]
      .filter((one) => !there.has(one))
      .map((one) => `An index by user finds the ${what} ${one}, which is not there.`),
    ...(twice > 0 ? [`Indexes by user find ${twice} of each ${what} twice.`] : []),
  ]
}

/** The same text for the same data, in any order of its properties. */
function sorted(one: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

function named({ sellerId, itemNo }: ItemId): string {
  return `${sellerId}/${itemNo}`
}
