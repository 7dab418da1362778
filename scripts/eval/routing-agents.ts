import type { AgentProfile } from "../../src/core/answers/agent.ts";

interface Domain {
  readonly description: string;
  readonly topics: readonly string[];
  readonly examples: readonly string[];
  /** Labels of CLINC150 that belong to the domain, as published. */
  readonly intents: string;
}

/**
 * The ten published domains of CLINC150 as agents. Descriptions, topics and examples were written from the
 * names of the labels alone.
 */
const domains: Readonly<Record<string, Domain>> = {
  banking: {
    description:
      "Handles bank accounts: balances, transfers, paying bills, transactions, spending, interest, cheques, PINs and fraud on an account.",
    topics: [
      "bank account balance",
      "transfer money between accounts",
      "transactions and spending history",
      "paying bills and due dates",
      "minimum payment",
      "interest rate of a savings account",
      "routing number",
      "order checks",
      "change PIN",
      "fraud on my account",
      "frozen or blocked account",
    ],
    examples: [
      "How much money is in my checking account?",
      "When is my electricity bill due?",
      "Why is my bank account locked?",
    ],
    intents:
      "transfer transactions balance freeze_account pay_bill bill_balance bill_due interest_rate routing min_payment order_checks pin_change report_fraud account_blocked spending_history",
  },
  credit_cards: {
    description:
      "Handles credit cards: applying for a card, credit limit, credit score, APR, rewards, foreign fees, lost, damaged, declined or expired cards.",
    topics: [
      "credit score and how to improve it",
      "credit limit and raising it",
      "card rewards and points",
      "apply for a new credit card",
      "status of a card application",
      "declined card",
      "lost or stolen card",
      "damaged card and replacement time",
      "APR of a credit card",
      "international transaction fees",
      "card expiration date",
    ],
    examples: [
      "How many reward points do I have?",
      "Why did my card get declined?",
      "How long until my replacement card arrives?",
    ],
    intents:
      "credit_score report_lost_card credit_limit rewards_balance new_card application_status card_declined international_fees apr redeem_rewards credit_limit_change damaged_card replacement_card_duration improve_credit_score expiration_date",
  },
  kitchen_dining: {
    description:
      "Helps with cooking, recipes, ingredients, nutrition and shelf life of food, and with finding and reserving restaurants.",
    topics: [
      "recipes and how to cook a dish",
      "ingredients and substitutions",
      "calories and nutrition of food",
      "cooking time",
      "how long food keeps",
      "meal ideas",
      "restaurant suggestions",
      "restaurant reviews",
      "table reservations at a restaurant",
      "how busy a restaurant is",
    ],
    examples: [
      "What can I use instead of butter?",
      "Book a table for four tonight",
      "Is the leftover chicken still good?",
    ],
    intents:
      "recipe restaurant_reviews calories nutrition_info restaurant_suggestion ingredients_list ingredient_substitution cook_time food_last meal_suggestion restaurant_reservation confirm_reservation how_busy cancel_reservation accept_reservations",
  },
  home: {
    description:
      "Runs the household: shopping and to-do lists, reminders, calendar, music and playlists, orders and deliveries, smart home devices.",
    topics: [
      "shopping list",
      "to-do list",
      "reminders",
      "calendar and events",
      "play music and songs",
      "playlist",
      "order something online",
      "status of an order or delivery",
      "smart home lights and thermostat",
    ],
    examples: ["Put milk on my shopping list", "What song is this?", "Turn off the lights in the bedroom"],
    intents:
      "shopping_list shopping_list_update next_song play_music update_playlist todo_list todo_list_update calendar calendar_update what_song order order_status reminder reminder_update smart_home",
  },
  auto_commute: {
    description:
      "Helps with cars and commuting: traffic, directions, distance, fuel, mileage, oil changes, tyres, maintenance and ride hailing.",
    topics: [
      "traffic on the way",
      "driving directions",
      "distance and travel time to a place",
      "my current location",
      "gas level and fuel type",
      "miles per gallon",
      "oil change",
      "tire pressure and changing a tire",
      "jump start a car battery",
      "car maintenance appointment",
      "call an Uber or a taxi",
    ],
    examples: [
      "How is traffic on the highway?",
      "When should I change my oil?",
      "Get me a ride to the station",
    ],
    intents:
      "traffic directions gas gas_type distance current_location mpg oil_change_when oil_change_how jump_start uber schedule_maintenance last_maintenance tire_pressure tire_change",
  },
  travel: {
    description:
      "Plans trips abroad: flights, hotels, rental cars, visas, vaccinations, luggage, travel warnings, currency, time zones, plugs and translation.",
    topics: [
      "book a flight",
      "flight status",
      "hotel booking",
      "car rental",
      "things to do at a destination",
      "travel alerts and safety of a country",
      "tell the bank about a trip",
      "carry-on rules",
      "lost luggage",
      "visa for a country",
      "vaccines before travelling",
      "exchange rate between currencies",
      "time zone of a place",
      "power plug abroad",
      "translate a phrase into another language",
    ],
    examples: [
      "Do I need a visa for Brazil?",
      "Is my flight on time?",
      "How do you say thank you in Japanese?",
    ],
    intents:
      "book_flight book_hotel car_rental travel_suggestion travel_alert travel_notification carry_on timezone vaccines translate flight_status international_visa lost_luggage plug_type exchange_rate",
  },
  utility: {
    description:
      "Small utilities of a phone: time, date, alarms, timers, weather, calls, text messages, calculation, unit conversion, spelling, definitions, coin and dice.",
    topics: [
      "what time it is",
      "today's date",
      "alarm clock",
      "timer",
      "weather forecast",
      "send a text message",
      "make a phone call",
      "find my phone",
      "share my location",
      "arithmetic calculation",
      "convert units of measurement",
      "spelling of a word",
      "definition of a word",
      "flip a coin or roll dice",
    ],
    examples: ["Wake me at six tomorrow", "Will it rain today?", "How many grams are in an ounce?"],
    intents:
      "time alarm share_location find_phone weather text spelling make_call timer date calculator measurement_conversion flip_coin roll_dice definition",
  },
  work: {
    description:
      "Answers employees about pay and work: direct deposit, payday, income, taxes, W-2, 401k, paid time off, insurance, holidays and meetings.",
    topics: [
      "direct deposit of the paycheck",
      "payday",
      "salary and income",
      "income taxes and W-2 form",
      "401k rollover",
      "paid time off balance",
      "request vacation days",
      "status of a vacation request",
      "health insurance plan and benefits",
      "next public holiday",
      "schedule a meeting",
      "meetings on my schedule",
    ],
    examples: [
      "How many vacation days do I have left?",
      "When do I get paid?",
      "Reserve a meeting room for Monday",
    ],
    intents:
      "direct_deposit pto_request taxes payday w2 pto_balance pto_request_status next_holiday insurance insurance_change schedule_meeting pto_used meeting_schedule rollover_401k income",
  },
  small_talk: {
    description:
      "Small talk with the assistant: greetings, thanks, goodbye, jokes, fun facts, and its name, age, origin, maker, hobbies and pets.",
    topics: [
      "greeting and how are you",
      "goodbye",
      "thank you",
      "tell a joke",
      "a fun fact",
      "the assistant's name",
      "the assistant's age",
      "where the assistant comes from and who made it",
      "is it a bot or a human",
      "the assistant's hobbies and pets",
      "what the assistant can do",
      "the meaning of life",
    ],
    examples: ["Hello, how are you?", "Who built you?", "Make me laugh"],
    intents:
      "greeting goodbye tell_joke where_are_you_from how_old_are_you what_is_your_name who_made_you thank_you what_can_i_ask_you what_are_your_hobbies do_you_have_pets are_you_a_bot meaning_of_life who_do_you_work_for fun_fact",
  },
  meta: {
    description:
      "Settings of the assistant itself: language, accent, volume, speed, whisper mode, names, reset, device sync; yes, no, maybe, repeat, cancel.",
    topics: [
      "change the assistant's name",
      "what to call me, my name",
      "change the language of the assistant",
      "change the accent or voice",
      "volume louder or quieter",
      "talk faster or slower",
      "whisper mode",
      "reset to factory settings",
      "connect or sync a device",
      "repeat that",
      "cancel that",
      "yes, that is right",
      "no, that is wrong",
      "maybe, I am not sure",
    ],
    examples: ["Speak more slowly", "Say that again", "No, that is false"],
    intents:
      "change_ai_name change_user_name cancel user_name reset_settings whisper_mode repeat no yes maybe change_language change_accent change_volume change_speed sync_device",
  },
};

/** The ten domains as agents that may all be used. */
export const clincAgents: readonly AgentProfile[] = Object.entries(domains).map(
  ([name, { description, topics, examples }]) => ({
    id: name,
    name,
    department: name,
    enabled: true,
    description,
    topics,
    examples,
    providerConfig: {},
  }),
);

/** Label of CLINC150 → its domain; out-of-scope has none. */
export const domainOf: ReadonlyMap<string, string> = new Map(
  Object.entries(domains).flatMap(([name, { intents }]) =>
    intents.split(" ").map((intent) => [intent, name] as const),
  ),
);
