#include "d3d12/platform/dxcore_adapters.h"

#if defined(_WIN32) || defined(GGML_DIRECTX_WSL)

#include <algorithm>
#include <string>

namespace ggml_directx::d3d12 {

namespace {

// Defined here: dxcore_interface.h only declares those that it has, and older ones lack the later kinds of hardware.
constexpr GUID graphics     = { 0x0c9ece4d, 0x2f6e, 0x4f01, { 0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1 } };
constexpr GUID core_compute = { 0x248e2800, 0xa793, 0x4724, { 0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90 } };
constexpr GUID generic_ml   = { 0xb71b0d41, 0x1088, 0x422f, { 0xa2, 0x7c, 0x02, 0x50, 0xb7, 0xd3, 0xa9, 0x88 } };
constexpr GUID type_npu     = { 0xd46140c4, 0xadd7, 0x451b, { 0x9e, 0x56, 0x06, 0xfe, 0x8c, 0x3b, 0x58, 0xed } };

constexpr GUID iid_factory = { 0x78ee5945, 0xc36e, 0x4b13, { 0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06 } };
constexpr GUID iid_list    = { 0x526c7776, 0x40e9, 0x459b, { 0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28 } };
constexpr GUID iid_adapter = { 0xf0db4c7f, 0xfe5a, 0x42a2, { 0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e } };

using create_factory_function = HRESULT(STDAPICALLTYPE *)(REFIID, void **);

template <typename value_type> value_type property(IDXCoreAdapter & a, DXCoreAdapterProperty which, value_type otherwise) {
    value_type value = otherwise;
    if (!a.IsPropertySupported(which) || FAILED(a.GetProperty(which, sizeof(value), &value))) {
        return otherwise;
    }
    return value;
}

std::string description(IDXCoreAdapter & a) {
    size_t size = 0;
    if (FAILED(a.GetPropertySize(DXCoreAdapterProperty::DriverDescription, &size)) || size == 0) {
        return "unnamed adapter";
    }
    std::string text(size, '\0');
    a.GetProperty(DXCoreAdapterProperty::DriverDescription, size, text.data());
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

std::string driver_version(uint64_t v) {
    return std::to_string(v >> 48) + "." + std::to_string((v >> 32) & 0xffff) + "." + std::to_string((v >> 16) & 0xffff) + "." +
           std::to_string(v & 0xffff);
}

adapter_type type_of(IDXCoreAdapter & a) {
    if (!property(a, DXCoreAdapterProperty::IsHardware, true)) {
        return adapter_type::software;
    }
    // Before Windows named NPUs, what computes but does not draw was one.
    if (a.IsAttributeSupported(type_npu) || !a.IsAttributeSupported(graphics)) {
        return adapter_type::npu;
    }
    return property(a, DXCoreAdapterProperty::IsIntegrated, false) ? adapter_type::integrated : adapter_type::gpu;
}

adapter describe(com_ptr<IDXCoreAdapter> a) {
    adapter d;
    d.name             = description(*a.get());
    d.type             = type_of(*a.get());
    d.driver           = driver_version(property(*a.get(), DXCoreAdapterProperty::DriverVersion, uint64_t(0)));
    d.dedicated_memory = property(*a.get(), DXCoreAdapterProperty::DedicatedAdapterMemory, uint64_t(0));
    d.shared_memory    = property(*a.get(), DXCoreAdapterProperty::SharedSystemMemory, uint64_t(0));
    const auto id      = property(*a.get(), DXCoreAdapterProperty::HardwareID, DXCoreHardwareID{});
    d.vendor_id        = id.vendorID;
    d.device_id        = id.deviceID;
    const auto luid    = property(*a.get(), DXCoreAdapterProperty::InstanceLuid, LUID{});
    d.luid             = (uint64_t(uint32_t(luid.HighPart)) << 32) | luid.LowPart;

    IDXCoreAdapter * raw = a.get();
    d.handle             = std::shared_ptr<void>(raw, [kept = std::move(a)](void *) {});
    return d;
}

}  // namespace

bool dxcore_adapters::load(const char * library_name) {
    if (!library_.open(library_name)) {
        return false;
    }
    const auto create = library_.find<create_factory_function>("DXCoreCreateAdapterFactory");
    void *     made   = nullptr;
    if (!create || FAILED(create(iid_factory, &made))) {
        return false;
    }
    factory_ = static_cast<IDXCoreAdapterFactory *>(made);
    return true;
}

std::vector<adapter> dxcore_adapters::enumerate() const {
    std::vector<adapter> found;
    for (const GUID & wanted : { core_compute, graphics, generic_ml }) {
        com_ptr<IDXCoreAdapterList> list;
        factory_->CreateAdapterList(1, &wanted, iid_list, list.out());
        const uint32_t n = list ? list->GetAdapterCount() : 0;
        for (uint32_t i = 0; i < n; ++i) {
            com_ptr<IDXCoreAdapter> a;
            list->GetAdapter(i, iid_adapter, a.out());
            if (a && a->IsValid()) {
                found.push_back(describe(std::move(a)));
            }
        }
    }
    return found;  // an adapter of several kinds is listed several times: enumerate_adapters removes what it has seen
}

bool dxcore_adapters::query_budget(const adapter & a, memory_budget & b) const {
    auto * core = static_cast<IDXCoreAdapter *>(a.handle.get());
    if (!core || !core->IsQueryStateSupported(DXCoreAdapterState::AdapterMemoryBudget)) {
        return false;
    }
    const DXCoreAdapterMemoryBudgetNodeSegmentGroup segment{ 0, DXCoreSegmentGroup::Local };
    DXCoreAdapterMemoryBudget                       budget{};
    if (FAILED(core->QueryState(DXCoreAdapterState::AdapterMemoryBudget, sizeof(segment), &segment, sizeof(budget), &budget))) {
        return false;
    }
    b.budget = budget.budget;
    b.usage  = budget.currentUsage;
    return b.budget != 0;
}

}  // namespace ggml_directx::d3d12

#endif
