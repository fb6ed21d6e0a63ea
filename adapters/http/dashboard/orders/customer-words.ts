/** The texts about customers, for sellers and administrators. */
export const customerWords = {
  name: 'Customers',
  title: 'Customers',
  list: 'List of customers',
  search: 'Start of the address',
  noneTitle: 'No customers yet',
  none: 'When somebody buys one of your products, or takes it for free, they appear here with the sums of their orders.',
  noneTest: 'Publish a test product and buy it yourself with play money. Then you are a customer here.',
  toProducts: 'See your products',
  noneAtAllAdvice: 'When somebody buys a product, or takes it for free, they appear here.',
  noneFoundAdvice: 'Type the start of another address.',
  columns: {
    customer: 'Customer',
    orders: 'Orders',
    licenses: 'Licenses',
    kept: 'Paid',
    last: 'Last order',
    visit: 'Last visit',
  },
  never: 'Never',
  fromOrder: 'Sums of all orders',
  /** What is counted, if there can be more. */
  atLeast: (text: string) => `${text}+`,
} as const;
